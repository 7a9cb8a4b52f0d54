/**
 * A receiver on AWS Lambda, behind API Gateway or a function URL.
 *
 * @module
 */
export * from '../bindings/lambda.js';
