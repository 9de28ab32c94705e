/**
 * A persistent sorted map: every change is a new value that shares all but O(log n) nodes with the old one. State holds
 * tasks, queues and steps in it, so one event costs O(changed) even with 100,000 tasks. An AVL tree, because look-ups
 * dominate; keys compare by UTF-16 unit, never by locale.
 */
type Node<V> = {
  readonly key: string;
  readonly value: V;
  readonly left: Node<V> | null;
  readonly right: Node<V> | null;
  readonly height: number;
  readonly size: number;
};

export class OrderedMap<V> {
  static readonly #none = new OrderedMap<never>(null);
  readonly #root: Node<V> | null;

  private constructor(root: Node<V> | null) {
    this.#root = root;
  }

  static empty<V>(): OrderedMap<V> {
    return OrderedMap.#none as unknown as OrderedMap<V>;
  }

  static from<V>(entries: Iterable<readonly [string, V]>): OrderedMap<V> {
    const list = [...entries];
    // Sorted, as `toJSON` writes them: the tree is built at once, without single insertions.
    if (list.every(([key], n) => n === 0 || (list[n - 1] as readonly [string, V])[0] < key)) {
      return list.length === 0 ? OrderedMap.empty() : new OrderedMap(build(list, 0, list.length));
    }
    let map = OrderedMap.empty<V>();
    for (const [key, value] of list) map = map.set(key, value);
    return map;
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  get(key: string): V | undefined {
    return find(this.#root, key)?.value;
  }

  has(key: string): boolean {
    return find(this.#root, key) !== null;
  }

  set(key: string, value: V): OrderedMap<V> {
    const root = insert(this.#root, key, value);
    return root === this.#root ? this : new OrderedMap(root);
  }

  delete(key: string): OrderedMap<V> {
    const root = remove(this.#root, key);
    return root === this.#root ? this : new OrderedMap(root);
  }

  /** The entry with the smallest key. */
  first(): readonly [string, V] | undefined {
    let node = this.#root;
    while (node?.left) node = node.left;
    return node ? [node.key, node.value] : undefined;
  }

  /** All entries in key order, or those whose key is not below `from`. */
  *entries(from = ''): Generator<readonly [string, V]> {
    const stack: Node<V>[] = [];
    let node = this.#root;
    while (node !== null) {
      if (node.key >= from) stack.push(node);
      node = node.key >= from ? node.left : node.right;
    }
    while (node !== null || stack.length > 0) {
      for (; node !== null; node = node.left) stack.push(node);
      const next = stack.pop() as Node<V>;
      yield [next.key, next.value];
      node = next.right;
    }
  }

  *values(): Generator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  *keys(): Generator<string> {
    for (const [key] of this.entries()) yield key;
  }

  [Symbol.iterator](): Generator<readonly [string, V]> {
    return this.entries();
  }

  /** The form that snapshots store; `OrderedMap.from` reads it. */
  toJSON(): readonly (readonly [string, V])[] {
    return [...this.entries()];
  }
}

const sizeOf = <V>(node: Node<V> | null): number => node?.size ?? 0;
const heightOf = <V>(node: Node<V> | null): number => node?.height ?? 0;

function find<V>(root: Node<V> | null, key: string): Node<V> | null {
  let node = root;
  while (node !== null && node.key !== key) node = key < node.key ? node.left : node.right;
  return node;
}

function make<V>(left: Node<V> | null, key: string, value: V, right: Node<V> | null): Node<V> {
  const height = Math.max(heightOf(left), heightOf(right)) + 1;
  return { key, value, left, right, height, size: sizeOf(left) + sizeOf(right) + 1 };
}

/** A tree of the sorted entries in [from, to): the middle one on top, so both sides differ by at most one level. */
function build<V>(sorted: readonly (readonly [string, V])[], from: number, to: number): Node<V> | null {
  if (from === to) return null;
  const middle = (from + to) >> 1;
  const [key, value] = sorted[middle] as readonly [string, V];
  return make(build(sorted, from, middle), key, value, build(sorted, middle + 1, to));
}

function balance<V>(left: Node<V> | null, key: string, value: V, right: Node<V> | null): Node<V> {
  if (left !== null && heightOf(left) > heightOf(right) + 1) {
    if (heightOf(left.left) >= heightOf(left.right)) {
      return make(left.left, left.key, left.value, make(left.right, key, value, right));
    }
    const middle = left.right as Node<V>;
    return make(
      make(left.left, left.key, left.value, middle.left),
      middle.key,
      middle.value,
      make(middle.right, key, value, right),
    );
  }
  if (right !== null && heightOf(right) > heightOf(left) + 1) {
    if (heightOf(right.right) >= heightOf(right.left)) {
      return make(make(left, key, value, right.left), right.key, right.value, right.right);
    }
    const middle = right.left as Node<V>;
    return make(
      make(left, key, value, middle.left),
      middle.key,
      middle.value,
      make(middle.right, right.key, right.value, right.right),
    );
  }
  return make(left, key, value, right);
}

function insert<V>(node: Node<V> | null, key: string, value: V): Node<V> {
  if (node === null) return make(null, key, value, null);
  if (key === node.key) return value === node.value ? node : { ...node, value };
  if (key < node.key) {
    const left = insert(node.left, key, value);
    return left === node.left ? node : balance(left, node.key, node.value, node.right);
  }
  const right = insert(node.right, key, value);
  return right === node.right ? node : balance(node.left, node.key, node.value, right);
}

function remove<V>(node: Node<V> | null, key: string): Node<V> | null {
  if (node === null) return null;
  if (key < node.key) {
    const left = remove(node.left, key);
    return left === node.left ? node : balance(left, node.key, node.value, node.right);
  }
  if (key > node.key) {
    const right = remove(node.right, key);
    return right === node.right ? node : balance(node.left, node.key, node.value, right);
  }
  if (node.left === null) return node.right;
  if (node.right === null) return node.left;
  let successor = node.right;
  while (successor.left) successor = successor.left;
  return balance(node.left, successor.key, successor.value, remove(node.right, successor.key));
}
