import { describe, expect, it } from 'vitest';
import { agentMessage, handoffClose, toDate, ValidationError, validate } from '../../src/protocol/index.js';
import { agentMessageBody, closeBody } from '../fixtures/bodies.js';

const LATEST = 8.64e15;
const timestamp = (sent: unknown) => validate(handoffClose, closeBody({ timestamp: sent })).timestamp;

describe('a time of the wire', () => {
  it.each([
    [1_679_587_005, 1_679_587_005],
    [1_742_265_090_895, 1_742_265_090_895],
    ['1679587005', 1_679_587_005],
    ['1742265090895', 1_742_265_090_895],
    [0, 0],
    ['0', 0],
    [1_679_587_005.25, 1_679_587_005.25],
    [LATEST, LATEST],
    [String(LATEST), LATEST],
    [null, null],
    [undefined, null],
  ])('sent as %j is read as %j', (sent, seen) => {
    expect(timestamp(sent)).toBe(seen);
    expect(validate(agentMessage, agentMessageBody({ create_time: sent })).create_time).toBe(seen);
  });

  it.each([
    [-1],
    ['-1'],
    [''],
    [' 1'],
    ['1.5'],
    ['1e3'],
    ['0x10'],
    ['2023-03-23T15:56:45Z'],
    [true],
    [{}],
    [[1]],
    [LATEST + 2],
    [String(LATEST + 2)],
    ['9999999999999999'],
    ['12345678901234567'],
    [Number.POSITIVE_INFINITY],
    [Number.NaN],
  ])('is refused as %j', (sent) => {
    expect(() => timestamp(sent)).toThrow(ValidationError);
    expect(() => timestamp(sent)).toThrow('timestamp: ');
  });
});

describe('toDate', () => {
  it('reads seconds and milliseconds as the same moment', () => {
    expect(toDate(1_679_587_005).toISOString()).toBe('2023-03-23T15:56:45.000Z');
    expect(toDate(1_679_587_005_000).toISOString()).toBe('2023-03-23T15:56:45.000Z');
  });

  it('reads values below 1e11 as seconds, others as milliseconds', () => {
    expect(toDate(1e11 - 1).getTime()).toBe((1e11 - 1) * 1000);
    expect(toDate(1e11).getTime()).toBe(1e11);
    expect(toDate(1e11 + 1).getTime()).toBe(1e11 + 1);
  });

  it.each([0, 1e11 - 1, 1e11, LATEST])('makes a valid date of %d', (value) => {
    expect(toDate(value).getTime()).not.toBeNaN();
  });
});
