import { createServer } from 'node:http';
import { readParseAnswer } from './answer.js';

/** @type {import('./index.js').CreateServer} */
export const create = ({ handled }) => createServer((req, res) => readParseAnswer(req, res, handled));
