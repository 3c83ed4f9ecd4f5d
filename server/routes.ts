import type { FastifyInstance } from 'fastify';
import { registerAccountsRoutes } from '#server/features/accounts/accounts.routes.ts';
import { registerAdminRoutes } from '#server/features/admin/admin.routes.ts';
import { registerComplaintRoutes } from '#server/features/admin/complaints.routes.ts';
import { registerNewsRoutes } from '#server/features/admin/news.routes.ts';
import { registerActivityRoutes } from '#server/features/audit/activity.routes.ts';
import { registerBillingRoutes } from '#server/features/billing/billing.routes.ts';
import { registerPlanLimitsRoutes } from '#server/features/billing/plan-limits.routes.ts';
import { registerContactsRoutes } from '#server/features/contacts/contacts.routes.ts';
import { registerDashboardRoutes } from '#server/features/dashboard/dashboard.routes.ts';
import { registerDeliveryRoutes } from '#server/features/delivery/delivery.routes.ts';
import { registerDocumentsRoutes } from '#server/features/documents/documents.routes.ts';
import { registerGuidanceRoutes } from '#server/features/guidance/guidance.routes.ts';
import { registerMessagesRoutes } from '#server/features/messages/messages.routes.ts';
import { registerDeletionRoutes } from '#server/features/privacy/deletion.routes.ts';
import { registerExportRoutes } from '#server/features/privacy/export.routes.ts';
import { registerEmergencyRoutes } from '#server/features/release/emergency.routes.ts';
import { registerNewAddressRoutes } from '#server/features/release/new-address.routes.ts';
import { registerPortalRoutes } from '#server/features/release/portal.routes.ts';
import { registerReleaseRoutes } from '#server/features/release/release.routes.ts';
import { registerTextRoutes } from '#server/features/release/text-replies.routes.ts';
import { registerTrusteeRoutes } from '#server/features/release/trustee.routes.ts';
import type { Services } from './services.ts';

/** Binds every route of the contract to the feature that answers it. */
export function registerRoutes(app: FastifyInstance, services: Services): void {
  registerAccountsRoutes(app, services.accounts);
  registerActivityRoutes(app, services.activityPages);
  registerMessagesRoutes(app, services.messages);
  registerDocumentsRoutes(app, services.documents);
  registerContactsRoutes(app, services.contacts);
  registerDashboardRoutes(app, services.dashboard);
  registerPlanLimitsRoutes(app, services.planLimits);
  registerBillingRoutes(app, services.billing);
  registerGuidanceRoutes(app, services.guidance);
  registerReleaseRoutes(app, services.releases, services.accounts);
  registerPortalRoutes(app, services.portals);
  registerNewAddressRoutes(app, services.releases);
  registerTextRoutes(app, services.textInbox);
  registerTrusteeRoutes(app, services.trusteePanels);
  registerEmergencyRoutes(app, services.emergencies);
  registerDeliveryRoutes(app, services.deliveries);
  registerAdminRoutes(app, services);
  registerComplaintRoutes(app, services.complaints);
  registerDeletionRoutes(app, services.deletions);
  registerNewsRoutes(app, services.news);
  registerExportRoutes(app, services.exports, services.imports);
}
