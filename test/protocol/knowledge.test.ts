import { describe, expect, it } from 'vitest';
import { MAX_FILES, qaAdd, qaAnswer, qaUpdate, ValidationError, validate } from '../../src/protocol/index.js';

const pair = { question: 'How long?', answer: 'Two days.' };
const qaFile = { file_url: 'https://files.example/a.csv', file_name: 'a.csv' };
const sourceFile = { source_url: 'https://files.example/a.pdf', file_name: 'a.pdf' };
const updateFile = { ...sourceFile, doc_id: 'd' };
const times = <Entry>(count: number, entry: Entry): Entry[] => Array.from({ length: count }, () => entry);

const text = { purpose: 'QA_TEXT', name: 'Delivery', qaList: [pair] };
const byFile = { purpose: 'QA_FILE', files: [qaFile] };
const converted = { purpose: 'FILE_2_QA', files: [sourceFile] };

const withFiles = (count: number): [unknown, unknown, unknown] => [
  { ...byFile, files: times(count, qaFile) },
  { ...converted, files: times(count, sourceFile) },
  { files: times(count, updateFile) },
];

describe('adding', () => {
  it.each([[text], [byFile], [converted]])('accepts the fields of its purpose: %j', (add) => {
    expect(validate(qaAdd, add)).toEqual(add);
  });

  it('accepts processing settings with every purpose', () => {
    const processing = { knowledge_base_id: 'k', header_row: 1, chunk_token: 600, splitter: '\n' };
    for (const add of [text, byFile, converted]) {
      expect(validate(qaAdd, { ...add, ...processing })).toEqual({ ...add, ...processing });
    }
  });

  it.each([
    [text, 'name'],
    [text, 'qaList'],
    [byFile, 'files'],
    [converted, 'files'],
  ])('refuses %j without %s', (add, field) => {
    expect(() => validate(qaAdd, { ...add, [field]: undefined })).toThrow(`${field}: `);
    expect(() => validate(qaAdd, { ...add, [field]: field === 'name' ? '' : [] })).toThrow(`${field}: `);
  });

  it.each([undefined, null, 'QA', 'qa_text', 5])(
    'refuses the purpose %j and lists the valid ones',
    (purpose) => {
      expect(() => validate(qaAdd, { ...text, purpose })).toThrow(/purpose: .*QA_TEXT.*QA_FILE.*FILE_2_QA/);
    },
  );

  it('requires file_url for CSV and source_url for conversion', () => {
    expect(() => validate(qaAdd, { ...byFile, files: [sourceFile] })).toThrow('files[0].file_url');
    expect(() => validate(qaAdd, { ...converted, files: [qaFile] })).toThrow('files[0].source_url');
  });

  it.each([
    [{ ...text, qaList: [{ question: 'q' }] }, 'qaList[0].answer'],
    [{ ...text, qaList: [pair, { question: '', answer: 'a' }] }, 'qaList[1].question'],
    [{ ...byFile, files: [{ ...qaFile, file_url: 'a.csv' }] }, 'files[0].file_url'],
    [{ ...byFile, files: [{ ...qaFile, file_name: '' }] }, 'files[0].file_name'],
    [{ ...text, chunk_token: 0 }, 'chunk_token'],
    [{ ...text, chunk_token: 1.5 }, 'chunk_token'],
    [{ ...text, header_row: -1 }, 'header_row'],
  ])('refuses %j', (add, place) => {
    expect(() => validate(qaAdd, add)).toThrow(place);
  });
});

describe('the file limit', () => {
  it('is 20, and 20 are accepted', () => {
    expect(MAX_FILES).toBe(20);
    const [first, second, update] = withFiles(20);
    expect(validate(qaAdd, first)).toEqual(first);
    expect(validate(qaAdd, second)).toEqual(second);
    expect(validate(qaUpdate, update)).toEqual(update);
  });

  it('refuses 21', () => {
    const [first, second, update] = withFiles(21);
    expect(() => validate(qaAdd, first)).toThrow('files: expected at most 20 files in one request');
    expect(() => validate(qaAdd, second)).toThrow('files: expected at most 20 files in one request');
    expect(() => validate(qaUpdate, update)).toThrow('files: expected at most 20 files in one request');
  });
});

describe('updating', () => {
  it.each([
    [{ doc_id: 'd', qaList: [pair] }],
    [{ doc_id: 'd', qaList: [pair], files: [] }],
    [{ files: [updateFile] }],
    [{ files: [updateFile], qaList: [] }],
  ])('accepts pairs or files: %j', (update) => {
    expect(validate(qaUpdate, update)).toEqual(update);
  });

  it('refuses both', () => {
    const both = { doc_id: 'd', qaList: [pair], files: [updateFile] };
    expect(() => validate(qaUpdate, both)).toThrow('files: qaList and files exclude each other');
  });

  it.each([
    [{}],
    [{ doc_id: 'd' }],
    [{ doc_id: 'd', qaList: [], files: [] }],
    [{ qaList: [] }],
    [{ files: [] }],
  ])('refuses neither: %j', (neither) => {
    expect(() => validate(qaUpdate, neither)).toThrow('qaList and files cannot both be empty');
  });

  it('needs doc_id with pairs', () => {
    expect(() => validate(qaUpdate, { qaList: [pair] })).toThrow('doc_id: doc_id is required with qaList');
    expect(() => validate(qaUpdate, { qaList: [pair], doc_id: '' })).toThrow('doc_id');
  });

  it.each(['doc_id', 'source_url', 'file_name'])('needs %s in every file', (field) => {
    const files = [updateFile, { ...updateFile, [field]: undefined }];
    expect(() => validate(qaUpdate, { files })).toThrow(`files[1].${field}`);
  });
});

describe('the answer', () => {
  it('lists the documents and the failed files', () => {
    const answer = { doc: [{ doc_id: 'd', doc_name: 'Delivery' }], failed: ['b.csv'] };
    expect(validate(qaAnswer, answer)).toEqual(answer);
  });

  it.each([[{}], [{ doc: null, failed: null }], [{ doc: [], failed: [] }]])('may be empty: %j', (answer) => {
    expect(validate(qaAnswer, answer)).toEqual({ doc: [], failed: [] });
  });

  it('is refused when a document has no id', () => {
    expect(() => validate(qaAnswer, { doc: [{ doc_name: 'x' }] })).toThrow(ValidationError);
  });
});
