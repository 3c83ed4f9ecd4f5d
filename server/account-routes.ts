import type { FastifyInstance } from 'fastify';
import type { AccountServices } from './account-services.ts';
import { registerPasswordRoutes } from './features/registration/password-reset.routes.ts';
import { registerProfileRoutes } from './features/registration/profile.routes.ts';
import { registerRegistrationRoutes } from './features/registration/registration.routes.ts';
import { registerSecondFactorRoutes } from './features/second-factors/second-factors.routes.ts';
import { registerExternalSignIn } from './features/sessions/external-sign-in.routes.ts';
import { registerSecondStepRoutes } from './features/sessions/second-step.routes.ts';
import { registerSessionRoutes } from './features/sessions/sessions.routes.ts';
import { registerWaysInRoutes } from './features/ways-in/ways-in.routes.ts';

/** Binds what somebody does with their own account: opening it, signing in, and what protects it. */
export function registerAccountRoutes(app: FastifyInstance, services: AccountServices): void {
  registerRegistrationRoutes(app, services);
  registerProfileRoutes(app, services);
  registerPasswordRoutes(app, services);
  registerSessionRoutes(app, services);
  registerExternalSignIn(app, services);
  registerSecondStepRoutes(app, services);
  registerSecondFactorRoutes(app, services);
  registerWaysInRoutes(app, services);
}
