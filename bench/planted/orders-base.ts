/** Orders of a shop in Python, tested by unittest. */
import type { Tree } from './planted.ts';

export const OLD_PRICING = `"""Prices in whole cents."""


def line_total(quantity, price, discount=0):
    if quantity < 0:
        raise ValueError("quantity must not be negative")
    full_price = quantity * price
    reduction = full_price * discount / 100
    reduced_price = full_price - reduction
    return int(reduced_price)


def order_total(lines, shipping=0):
    sum_of_lines = 0
    for entry in lines:
        quantity = entry["quantity"]
        price = entry["price"]
        discount = entry.get("discount", 0)
        sum_of_lines = sum_of_lines + line_total(quantity, price, discount)
    return sum_of_lines + shipping
`;
const PRICING = `"""Prices in whole cents."""
from decimal import ROUND_HALF_UP, Decimal


def line_total(quantity, price, discount=0):
    """The price of one line; a discount is in percent, half a cent is rounded up."""
    if quantity < 0:
        raise ValueError("quantity must not be negative")
    if not 0 <= discount <= 100:
        raise ValueError("discount must be between 0 and 100")
    exact = Decimal(quantity * price) * (100 - discount) / 100
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def order_total(lines, shipping=0, free_from=None):
    total = sum(line_total(one["quantity"], one["price"], one.get("discount", 0)) for one in lines)
    if free_from is not None and total >= free_from:
        return total
    return total + shipping
`;

export const ORDERS: readonly Tree[] = [
  {
    Makefile: 'test:\n\tpython3 -m unittest\n\n.PHONY: test\n',
    '.gitignore': '__pycache__/\n*.pyc\n.venv/\n',
    'requirements.txt': '# None yet.\n',
    'pyproject.toml': '[project]\nname = "orders"\nversion = "2.1.0"\nrequires-python = ">=3.9"\ndependencies = []\n',
    'README.md': `# orders

Prices, stock and storage of a small shop.

- \`orders.pricing.order_total(lines)\` gives cents.
- \`orders.stock.Stock\` counts what is left; \`take\` raises \`OutOfStock\`.
- \`orders.store.load(path)\` and \`save(path, orders)\` keep orders as JSON.
`,
    'orders/__init__.py': `from orders.pricing import line_total, order_total
from orders.stock import OutOfStock, Stock
from orders.store import load, save

__all__ = ["OutOfStock", "Stock", "line_total", "load", "order_total", "save"]
`,
    'orders/pricing.py': OLD_PRICING,
    'orders/stock.py': `"""What is left of each article."""


class OutOfStock(Exception):
    def __init__(self, article, wanted, left):
        super().__init__(f"{article}: {wanted} wanted, {left} left")
        self.article = article


class Stock:
    def __init__(self, counts=None):
        self._counts = dict(counts or {})

    def left(self, article):
        return self._counts.get(article, 0)

    def add(self, article, count):
        if count <= 0:
            raise ValueError("count must be positive")
        self._counts[article] = self.left(article) + count

    def take(self, article, count):
        if count > self.left(article):
            raise OutOfStock(article, count, self.left(article))
        self._counts[article] -= count

    def take_all(self, wanted):
        """All or nothing."""
        for article, count in wanted.items():
            if count > self.left(article):
                raise OutOfStock(article, count, self.left(article))
        for article, count in wanted.items():
            self.take(article, count)
`,
    'orders/store.py': `"""Orders in a JSON file."""
import json
import os
import tempfile


class BadFile(Exception):
    pass


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise BadFile(f"{path} is no JSON") from error
    if not isinstance(found, list):
        raise BadFile(f"{path} holds no list")
    return found


def save(path, orders):
    """The old file stays as it is until the new one is complete."""
    directory = os.path.dirname(os.path.abspath(path))
    handle, name = tempfile.mkstemp(dir=directory)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(orders, file)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
`,
    'tests/__init__.py': '',
    'tests/test_pricing.py': `import unittest

from orders.pricing import line_total, order_total


class LineTotal(unittest.TestCase):
    def test_quantity_times_price(self):
        self.assertEqual(line_total(3, 250), 750)

    def test_discount(self):
        self.assertEqual(line_total(1, 1000, 10), 900)

    def test_negative_quantity(self):
        with self.assertRaises(ValueError):
            line_total(-1, 100)


class OrderTotal(unittest.TestCase):
    def test_sum_and_shipping(self):
        lines = [{"quantity": 2, "price": 100}, {"quantity": 1, "price": 50, "discount": 50}]
        self.assertEqual(order_total(lines, shipping=490), 715)

    def test_nothing(self):
        self.assertEqual(order_total([]), 0)


if __name__ == "__main__":
    unittest.main()
`,
    'tests/test_stock.py': `import unittest

from orders.stock import OutOfStock, Stock


class StockTest(unittest.TestCase):
    def setUp(self):
        self.stock = Stock({"tea": 3, "cup": 1})

    def test_take(self):
        self.stock.take("tea", 2)
        self.assertEqual(self.stock.left("tea"), 1)

    def test_take_too_many(self):
        with self.assertRaises(OutOfStock) as caught:
            self.stock.take("cup", 2)
        self.assertEqual(str(caught.exception), "cup: 2 wanted, 1 left")

    def test_all_or_nothing(self):
        with self.assertRaises(OutOfStock):
            self.stock.take_all({"tea": 1, "cup": 5})
        self.assertEqual(self.stock.left("tea"), 3)

    def test_add(self):
        self.stock.add("pot", 4)
        self.assertEqual(self.stock.left("pot"), 4)
`,
    'tests/test_store.py': `import os
import tempfile
import unittest

from orders.store import BadFile, load, save


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "orders.json")

    def test_round_trip(self):
        save(self.path, [{"id": 1}])
        self.assertEqual(load(self.path), [{"id": 1}])

    def test_no_file(self):
        self.assertEqual(load(self.path), [])

    def test_no_json(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("{")
        with self.assertRaises(BadFile):
            load(self.path)
`,
  },
  { 'orders/pricing.py': PRICING },
];
