import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { describeHost } from './cases.js';
import { BASE, inProcess, type Mount, parser } from './host.js';

class AppModule {
  readonly title = 'the application';
}
Module({})(AppModule);

const nest =
  (options: { readonly rawBody?: boolean; readonly parsesFirst?: boolean } = {}): Mount =>
  async (create) => {
    const { rawBody = false, parsesFirst = false } = options;
    const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: false, rawBody });
    if (parsesFirst) app.useBodyParser('json');
    app.use(BASE, create());
    await app.listen(0, '127.0.0.1');
    return { port: Number(new URL(await app.getUrl()).port), end: () => app.close() };
  };

describeHost('NestJS on Express', {
  start: inProcess(nest()),
  parsers: {
    "useBodyParser('json')": parser(false, nest({ parsesFirst: true })),
    "useBodyParser('json') with rawBody: true": parser(true, nest({ rawBody: true, parsesFirst: true })),
  },
  notFound: 'Cannot POST /webhook/unknown',
});
