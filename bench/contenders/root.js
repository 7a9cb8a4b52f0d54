import { createRequire } from 'node:module';

/**
 * Loads a dependency of the project itself, so that Express and pino are the very ones it runs on and not
 * whichever a peer brought along.
 */
const require = createRequire(new URL('../../package.json', import.meta.url));

/** @type {typeof import('express')} */
export const express = require('express');
/** @type {typeof import('pino')} */
export const pino = require('pino');
