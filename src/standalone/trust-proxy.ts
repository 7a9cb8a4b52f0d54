import express from 'express';
import { configError } from '../internal/index.js';

/** Whose word is taken on where a request comes from: nobody's, everybody's, that of so many hops, or of addresses. */
export type TrustProxy = boolean | number | readonly string[];

const RULE =
  'must be false, the number of proxies before this program, their addresses such as 10.0.0.0/8, loopback, or true.';
const MOST_HOPS = 20;

/** Reads whose `X-Forwarded-*` headers are believed. */
export function readTrustProxy(text: string): TrustProxy {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (/^\d+$/.test(text)) {
    if (Number(text) >= 1 && Number(text) <= MOST_HOPS) return Number(text);
    throw configError(RULE);
  }
  const addresses = text.split(',').map((each) => each.trim());
  try {
    express().set('trust proxy', addresses);
  } catch {
    throw configError(RULE);
  }
  return addresses;
}
