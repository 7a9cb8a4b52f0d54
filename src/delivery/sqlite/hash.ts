import { createKeyHash } from '../../internal/index.js';

/** By what conversations and keys are found. It lies in files, so it stays as it is; who finds compares the text. */
export const hashOf: (text: string) => number = createKeyHash(0x1f_3a_5c_77);

/** So much of a key's hash fits behind that of its conversation in a number that stays whole. */
const KEY_BITS = 21;
const PLACES = 2 ** KEY_BITS;

const firstPlaceOf = (lane: string): number => (hashOf(lane) >>> 0) * PLACES;

/** Where the items of a conversation are in an index: from the first of these places on, and before the other. */
export function placesOf(lane: string): [from: number, to: number] {
  const from = firstPlaceOf(lane);
  return [from, from + PLACES];
}

/** Where an item is in an index. Another may be in the same place. */
export const placeOf = (lane: string, key: string): number =>
  firstPlaceOf(lane) + (hashOf(key) >>> (32 - KEY_BITS));

/** Into so many parts an index is divided. */
export const BUCKETS = 64;

/** The part of an index in which a place is. What is in one part lies together. */
export const bucketOf = (place: number): number => Math.floor(place / ((2 ** 32 / BUCKETS) * PLACES));
