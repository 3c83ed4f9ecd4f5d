import { describe, expect, it } from 'vitest';
import * as retention from '#shared/rules/retention.ts';

const monthsPerYear = 12;

describe('retention periods', () => {
  it('are the ones that the policy promises: a changed number changes a promise', () => {
    expect(retention).toMatchObject({
      deliveryLinkDays: 30,
      deliveredContentFreeMonths: 6,
      deliveredContentPaidMonths: 12,
      deliveredMessageYearsMax: 1,
      undeliveredAfterPaymentMonths: 6,
      contentNoticeDays: 30,
      releasedDocumentDays: 30,
      accountAfterDeletionDays: 30,
      auditLogYears: 2,
      securityLogYears: 1,
      paymentRecordYears: 7,
      marketingAfterWithdrawalDays: 30,
      idleAccountYears: 3,
      archiveNoticeDays: 90,
      shutdownNoticeDays: 90,
      shutdownExportDays: 60,
      privacyAnswerDays: 30,
      uptimePercent: 99.9,
      privacyPolicyVersion: '2.1',
      privacyPolicyUpdated: 'January 31, 2025',
    });
  });

  it('agrees with itself: no plan outlasts the longest time, and no link outlasts what it opens', () => {
    const {
      deliveredContentFreeMonths: free,
      deliveredContentPaidMonths: paid,
      deliveredMessageYearsMax: years,
    } = retention;
    expect(free).toBeLessThanOrEqual(paid);
    expect(paid).toBeLessThanOrEqual(years * monthsPerYear);
    const shortestMonthDays = 28;
    expect(retention.deliveryLinkDays).toBeLessThan(free * shortestMonthDays);
  });

  it('leaves time to take data out before the service closes', () => {
    expect(retention.shutdownExportDays).toBeLessThanOrEqual(retention.shutdownNoticeDays);
  });
});
