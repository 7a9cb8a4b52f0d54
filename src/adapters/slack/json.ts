export { asObject, asObjects, asText, isObject, type JsonObject } from '../../bridge/index.js';
