import { Controller, Get, Module } from '@nestjs/common';

class HealthController {
  check() {
    return { status: 'alive' };
  }
}
// JavaScript has no decorators yet. These lines are @Controller() and @Get('healthz').
Controller()(HealthController);
const { prototype } = HealthController;
Get('healthz')(prototype, 'check', Object.getOwnPropertyDescriptor(prototype, 'check') ?? {});

/** Your own controllers and providers. */
export class AppModule {}
Module({ controllers: [HealthController] })(AppModule);
