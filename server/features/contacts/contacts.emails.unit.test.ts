import { describe, expect, it } from 'vitest';
import { declinedEmail, trusteeBeganEmail } from './contacts.emails.ts';

const baseUrl = 'https://everkept.example';
const said = ({ text }: { text: string }) => text.replace(/\s+/g, ' ');

describe('that somebody is a trustee now', () => {
  const tell = (time: { waitingDays: number; quorum: number }) =>
    said(
      trusteeBeganEmail({ owner: { name: 'Sam Ashworth', firstName: 'Sam' }, contactName: 'Priya', baseUrl, ...time }),
    );

  it('promises the owner as much time to stop it as their settings give', () => {
    expect(tell({ waitingDays: 3, quorum: 2 })).toContain('and have 3 days to stop it');
    expect(tell({ waitingDays: 1, quorum: 1 })).toContain('and have 1 day to stop it');
    expect(tell({ waitingDays: 0, quorum: 2 })).toContain('until another of your trusted contacts has confirmed');
  });

  it('says where there is none, and how to have some', () => {
    const told = tell({ waitingDays: 0, quorum: 1 });
    expect(told).toContain('would be sent in the same moment');
    expect(told).toContain('Days to stop an early release');
    expect(told).not.toContain('could stop it');
  });
});

describe('that somebody is no trusted contact', () => {
  it('is told apart by whether they had been one', () => {
    const words = { ownerFirstName: 'Sam', contactName: 'Priya Shah', baseUrl };
    expect(declinedEmail(words, { hasLeft: false }).subject).toBe(
      'Priya Shah has said no to being your trusted contact',
    );
    const left = declinedEmail(words, { hasLeft: true });
    expect(left.subject).toBe('Priya Shah no longer wants to be your trusted contact');
    expect(said(left)).toContain('we will not ask them anything any more');
  });
});
