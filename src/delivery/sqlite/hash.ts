import { createKeyHash } from '../../events/index.js';

/** By what an index finds conversations and keys. It lies in files, so it stays as it is; who finds compares the text. */
export const hashOf: (text: string) => number = createKeyHash(0x1f_3a_5c_77);

const BUCKET_BITS = 6;

/** Into so many parts an index is divided. */
export const BUCKETS: number = 2 ** BUCKET_BITS;

/** The part of an index in which a conversation is. What is in one part lies together. */
export const bucketOf = (laneHash: number): number => laneHash >>> (32 - BUCKET_BITS);
