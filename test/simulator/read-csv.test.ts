import { expect, test } from 'vitest';
import { readCsv } from '../../src/simulator/knowledge/parse-file.js';

const A = { question: 'A?', answer: 'a' };
const B = { question: 'B?', answer: 'b' };

test('the first row names the columns, in any case and order', () => {
  expect(readCsv('id,ANSWER,Question\n1,a,A?\n2,b,B?\n')).toEqual([A, B]);
});

test('without known column names the first two columns are used', () => {
  expect(readCsv('Frage,Antwort,Notiz\nA?,a,x\nB?,b,y\n')).toEqual([A, B]);
});

test('header_row counts from 1, and rows above it are skipped', () => {
  expect(readCsv('made by hand\n\nanswer,question\na,A?\n', 2)).toEqual([A]);
});

test('header_row 0 means that every row is a pair', () => {
  expect(readCsv('A?,a\nB?,b', 0)).toEqual([A, B]);
});

test('quotes, line ends, a byte order mark and blank lines are understood', () => {
  const text = '\uFEFFquestion,answer\r\n\r\n"A, ""B""?","line 1\r\nline 2"\r\n,\r\n';
  expect(readCsv(text)).toEqual([{ question: 'A, "B"?', answer: 'line 1\r\nline 2' }]);
});

test.each([
  ['no answer', 'question,answer\nA?,a\nB?\n', 'row 3 lacks its answer'],
  ['no question', 'question,answer\n,a\n', 'row 2 lacks its question'],
  ['nothing below the header', 'question,answer\n', 'no row below'],
  ['nothing at all', '', 'no row below'],
])('a file with %s is refused', (_name, text, message) => {
  expect(() => readCsv(text)).toThrow(message);
});
