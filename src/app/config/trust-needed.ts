/** Nothing of a project's config is used before a person has accepted it; the message says how. */
export class TrustNeeded extends Error {
  override readonly name = 'TrustNeeded';
}
