/** A Python project whose one test fails. */
export const PYTHON = {
  'greet.py': 'def greet(name):\n    return None\n',
  'tests/__init__.py': '',
  'tests/test_greet.py': [
    'import unittest\nfrom greet import greet\n\nclass Greet(unittest.TestCase):',
    "    def test_polite(self):\n        self.assertEqual(greet('Ada'), 'dear Ada')\n",
  ].join('\n'),
};
