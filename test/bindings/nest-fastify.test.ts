import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { handoffKit } from '../../src/bindings/fastify.js';
import { describeHost } from './cases.js';
import { BASE, inProcess, type Mount, parser } from './host.js';

class AppModule {
  readonly title = 'the application';
}
Module({})(AppModule);

const nest =
  (options: { readonly rawBody?: boolean } = {}): Mount =>
  async (create) => {
    const app = await NestFactory.create<NestFastifyApplication>(
      AppModule,
      new FastifyAdapter({ requestIdHeader: 'x-request-id' }),
      { logger: false, ...options },
    );
    await app.register(handoffKit, { receiver: create(), prefix: BASE });
    await app.listen(0, '127.0.0.1');
    return { port: Number(new URL(await app.getUrl()).port), end: () => app.close() };
  };

describeHost('NestJS on Fastify', {
  start: inProcess(nest()),
  parsers: {
    'the parsers of Nest with rawBody: true, which the plugin replaces': parser(
      true,
      nest({ rawBody: true }),
    ),
  },
  notFound: 'Cannot POST /webhook/unknown',
});
