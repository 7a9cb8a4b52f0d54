import { expect, test } from 'vitest';
import { splitDocument } from '../../src/simulator/knowledge/parse-file.js';

const DOCUMENT = `# Hours

We open at nine.

We close at five.

## Holidays
We are closed.
`;

test('a heading is the question, and the text below it the answer', () => {
  expect(splitDocument(DOCUMENT)).toEqual([
    { question: 'Hours', answer: 'We open at nine.\n\nWe close at five.' },
    { question: 'Holidays', answer: 'We are closed.' },
  ]);
});

test('the same document always gives the same pairs', () => {
  expect(splitDocument(DOCUMENT, { chunkToken: 3 })).toEqual(splitDocument(DOCUMENT, { chunkToken: 3 }));
});

test('paragraphs are joined as long as they fit into a chunk', () => {
  expect(splitDocument(DOCUMENT, { chunkToken: 5 })).toEqual([
    { question: 'Hours', answer: 'We open at nine.' },
    { question: 'Hours (2)', answer: 'We close at five.' },
    { question: 'Holidays', answer: 'We are closed.' },
  ]);
});

test('a paragraph longer than a chunk is cut between words', () => {
  expect(splitDocument('one two\nthree four five', { chunkToken: 2 })).toEqual([
    { question: 'one two', answer: 'one two' },
    { question: 'three four', answer: 'three four' },
    { question: 'five', answer: 'five' },
  ]);
});

test('a chunk has 600 tokens by default', () => {
  expect(splitDocument('word '.repeat(600))).toHaveLength(1);
  expect(splitDocument('word '.repeat(601))).toHaveLength(2);
});

test('an ideograph is a token', () => {
  expect(splitDocument('你好世界', { chunkToken: 2 }).map(({ answer }) => answer)).toEqual(['你好', '世界']);
});

test('the text is cut at the splitter and nowhere else', () => {
  expect(splitDocument('A\n\nB\n---\nC\n---\n', { splitter: '---' })).toEqual([
    { question: 'A', answer: 'A\n\nB' },
    { question: 'C', answer: 'C' },
  ]);
});

test('a splitter is text, not a pattern', () => {
  expect(splitDocument('a.b', { splitter: '.' }).map(({ answer }) => answer)).toEqual(['a', 'b']);
});

test('Windows line ends and a byte order mark make no difference', () => {
  const windows = `\uFEFF${DOCUMENT.replaceAll('\n', '\r\n')}`;
  expect(splitDocument(windows)).toEqual(splitDocument(DOCUMENT));
});

test.each(['', '  \n\n ', '# Only a heading\n'])('a document without text is refused: %j', (text) => {
  expect(() => splitDocument(text)).toThrow('holds no text');
});
