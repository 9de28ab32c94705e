/** The tree of an attempt while it is made: where it will be is known long before it is there. */
import type { Place, Workspace } from '../../engine/ports/workspace.ts';

type Make = (placed: (tree: string) => void, at: Place | null) => Promise<Workspace>;

export class Making {
  readonly #make: Make;
  readonly #place = Promise.withResolvers<string>();
  #made: Promise<Workspace> | null = null;

  constructor(make: Make) {
    this.#make = make;
    this.#place.promise.catch(() => {});
  }

  /** Where it will be. */
  get place(): Promise<string> {
    return this.#place.promise;
  }

  /** Once; `at`: where, if there is a place already. */
  begin(at: Place | null): Promise<Workspace> {
    if (this.#made !== null) return this.#made;
    this.#made = this.#make(this.#place.resolve, at);
    this.#made.then(({ tree }) => this.#place.resolve(tree), this.#place.reject);
    return this.#made;
  }

  /** If it was begun. */
  async remove(): Promise<void> {
    await (await this.#made?.catch(() => null))?.remove();
  }
}
