import { describe, expect, it } from 'vitest';
import { botMessage, handoffClose, toDate, validate } from '../../src/protocol/index.js';
import { botMessageBody, closeBody } from '../fixtures/bodies.js';

const timestamp = (sent: unknown) => validate(handoffClose, closeBody({ timestamp: sent })).timestamp;

describe('a wire time', () => {
  it.each([
    [1_679_587_005, 1_679_587_005],
    [1_742_265_090_895, 1_742_265_090_895],
    [1_742_265_090_895_123, 1_742_265_090_895_123],
    ['1679587005', 1_679_587_005],
    [' 1742265090895 ', 1_742_265_090_895],
    ['1742265090895123456', Number('1742265090895123456')],
    [0, null],
    ['0', null],
    [1_679_587_005.25, 1_679_587_005.25],
    ['1679587005.25', 1_679_587_005.25],
    [null, null],
    [undefined, null],
    ['', null],
  ])('sent as %j is read as %j', (sent, seen) => {
    expect(timestamp(sent)).toBe(seen);
    expect(validate(botMessage, botMessageBody({ create_time: sent })).create_time).toBe(seen);
  });

  it.each([
    [-1],
    ['-1'],
    ['1e3'],
    ['0x10'],
    ['2023-03-23T15:56:45Z'],
    [true],
    [{}],
    [[1]],
    [1e20],
    ['9'.repeat(20)],
    ['1'.repeat(30)],
    [Number.POSITIVE_INFINITY],
    [Number.NaN],
  ])('is null if sent as %j', (sent) => {
    expect(timestamp(sent)).toBeNull();
  });
});

describe('toDate', () => {
  it('reads seconds and milliseconds as the same moment', () => {
    expect(toDate(1_679_587_005).toISOString()).toBe('2023-03-23T15:56:45.000Z');
    expect(toDate(1_679_587_005_000).toISOString()).toBe('2023-03-23T15:56:45.000Z');
  });

  it('reads microseconds and nanoseconds as the same moment', () => {
    expect(toDate(1_679_587_005_123_000).toISOString()).toBe('2023-03-23T15:56:45.123Z');
    expect(toDate(1_679_587_005_123_000_000).toISOString()).toBe('2023-03-23T15:56:45.123Z');
  });

  it('reads values below 1e11 as seconds, then three powers of ten for each smaller unit', () => {
    expect(toDate(1e11 - 1).getTime()).toBe((1e11 - 1) * 1_000);
    expect(toDate(1e11).getTime()).toBe(1e11);
    expect(toDate(1e14 - 1).getTime()).toBe(1e14 - 1);
    expect(toDate(1e14).getTime()).toBe(1e11);
    expect(toDate(1e17).getTime()).toBe(1e11);
  });

  it.each([0, 1e11 - 1, 1e11, 1e14, 1e17, 1e20 - 1e5])('makes a valid date of %d', (value) => {
    expect(toDate(value).getTime()).not.toBeNaN();
  });
});
