import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../greet.js';

test('greets politely', () => {
  assert.equal(greet('Ada'), 'Good day, Ada.');
});

test('greets a stranger', () => {
  assert.equal(greet(''), 'Good day, stranger.');
});
