import { describe, expect, test } from 'vitest';
import { alarmEmail, allClearEmail } from './service-health.emails.ts';

const since = new Date('2026-11-24T03:00:00Z');
const about = { trouble: 'backups', since, isRelapse: false, baseUrl: 'https://vault.example' } as const;
/** The words of a mail without its line breaks. */
const wordsOf = ({ text }: { text: string }) => text.replaceAll(/\s+/g, ' ');

describe('the mail about backups', () => {
  test('says since when they fail and why, be it that none was made or that none could be read back', () => {
    const mail = alarmEmail({ ...about, reason: 'AccessDenied' });
    expect(mail.subject).toBe('Everkept: backups fail');
    expect(wordsOf(mail)).toContain('This has failed since 24 November 2026 at 03:00 UTC (AccessDenied).');
    expect(wordsOf(mail)).toContain('data that is lost now cannot be restored');
    expect(wordsOf(mail)).toContain('Then run everkept doctor');
    expect(wordsOf(alarmEmail({ ...about, reason: null }))).toContain('failed since 24 November 2026 at 03:00 UTC.');
  });

  test('says that it is over, and that there is nothing to do', () => {
    const mail = allClearEmail({ ...about, wellSince: new Date('2026-11-25T03:00:00Z') });
    expect(mail.subject).toBe('Everkept: backups succeed again');
    expect(wordsOf(mail)).toContain('They had failed since 24 November 2026 at 03:00 UTC.');
    expect(wordsOf(mail)).toContain('There is nothing more to do.');
  });
});
