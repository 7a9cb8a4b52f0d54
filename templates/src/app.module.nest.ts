import { Controller, Get, Module } from '@nestjs/common';

@Controller()
class HealthController {
  @Get('healthz')
  check() {
    return { status: 'alive' };
  }
}

/** Your own controllers and providers. Inject with `@Inject(Name)`: tsx emits no types for injection. */
@Module({ controllers: [HealthController] })
export class AppModule {}
