import { createRequire } from 'node:module';

/**
 * Loads Express and pino from the project, so that all contenders run on its versions and not on a peer's.
 */
const require = createRequire(new URL('../../package.json', import.meta.url));

/** @type {typeof import('express')} */
export const express = require('express');
/** @type {typeof import('pino')} */
export const pino = require('pino');
