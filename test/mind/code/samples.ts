/** One small file of each language, with public and private things, and texts that look like code. */
export const TYPESCRIPT = `import { a } from './a.ts';

/** Reads a text. */
export function parse(
  text: string, // what to read
  { strict = false }: { strict?: boolean } = {},
): { readonly ast: Ast } | null {
  const secretBody = 'export function no() {}';
  return inner(secretBody);
}

function inner(text: string) { return null; }

/** A tree. */
export interface Ast {
  readonly kind: 'file';
  children: Ast[];
}

export type Visitor =
  | ((node: Ast) => void)
  | null;

export const LIMIT: number = 10;
export const double = async (n: number): Promise<number> => n * 2;
const hidden = 5;

/** Holds state. */
@decorated({ a: 1 })
export abstract class Store<T = {}> extends Base<T> {
  readonly size = 0;
  private items: T[] = [];
  #count = 0;
  constructor(private readonly where: string) { super(); }
  /** Gets one. */
  async get(id: string): Promise<T> { if (id) { return load(id); } throw new Error('no'); }
  private drop(): void {}
  #mine() {}
  static of<U>(): Store<U> { return null as never; }
}

class Local { visible() {} }
export { Local as Renamed };
export enum Mode { On, Off }
`;

export const PYTHON = `"""Module. class No: pass"""
LIMIT = 10
_private = 3


def parse(text: str, *, strict: bool = False) -> "Ast":
    """Reads a text.

    With care.
    """
    secret_body = """
def no():
    pass
"""
    def nested():
        pass
    return nested


async def fetch(url):
    pass


class Store(Base, metaclass=Meta):
    """Holds state."""

    def __init__(self, where):
        self.where = where

    @property
    def size(self) -> int:
        return 0

    def _drop(self):
        pass

    class Inner:
        def deep(self): ...


if True:
    def later():
        pass


def _hidden():
    pass
`;

export const GO = `package store

import "fmt"

// Limit is how many.
const Limit = 10

const (
	// First comes first.
	First = iota
	second
)

// Store holds state.
type Store struct {
	// Name of it.
	Name  string
	where map[string]int
}

type Getter interface {
	Get(id string) (string, error)
}

// New makes one.
func New(where string, opts ...func(*Store)) (*Store, error) {
	secretBody := "func No() {"
	return nil, fmt.Errorf(secretBody)
}

func (s *Store) Get(id string) (any, error) { return nil, nil }
func (s *Store) drop() {}
func Any(v interface{}) interface{} { return v }
func hidden() {}
`;

export const RUST = `use crate::a;

/// How many.
pub const LIMIT: usize = 10;

/// Holds state.
#[derive(Clone)]
pub struct Store<T> {
    /// Its name.
    pub name: String,
    secret: Vec<T>,
}

impl<T: Clone> Store<T> {
    /// Makes one.
    pub fn new(name: &str) -> Self { let secret_body = "pub fn no() {"; todo!() }
    fn drop_all(&mut self) {}
}

impl<T> Default for Store<T> {
    fn default() -> Self { todo!() }
}

pub trait Getter {
    fn get(&self, id: &str) -> Option<String>;
}

pub enum Mode { On, Off }
pub(crate) fn within() {}
fn hidden() {}

#[cfg(test)]
mod tests {
    fn no() {}
}
`;

export const JAVA = `package a.b;

import java.util.*;

/** Holds state. */
@Service("x")
public final class Store<T extends Foo> implements Getter {
  public static final int LIMIT = 3;
  private final String where;

  public Store(String where) { this.where = where; }

  /** Gets one. */
  @Override
  public String get(
      @Nullable String id, List<Map<String, T>> all) throws IOException {
    if (all != null) { drop(); }
    String secretBody = "public class No {";
    return secretBody;
  }

  private void drop() {}

  public interface Inner { void go(int a);
    int two(); }
}
`;
