/** Another process took the lease; everything this process still tries is refused. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
