/** A person has to accept a project's config before any of it is used; the message says how. */
export class TrustNeeded extends Error {
  override readonly name = 'TrustNeeded';
}
