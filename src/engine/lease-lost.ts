/** The lease was lost to another process; everything this one still does is refused. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
