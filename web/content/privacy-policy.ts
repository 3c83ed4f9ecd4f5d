/** The privacy policy. Every period comes from `shared/rules/retention.ts`, by which things are deleted as well. */
import { productName } from '#shared/product.ts';
import {
  accountAfterDeletionDays,
  archiveNoticeDays,
  auditLogYears,
  complaintAcknowledgedDays,
  complaintRecordYears,
  contentNoticeDays,
  deliveredContentFreeMonths,
  deliveredContentPaidMonths,
  deliveredMessageYearsMax,
  deliveryLinkDays,
  idleAccountYears,
  letterKeptForReaderDays,
  marketingAfterWithdrawalDays,
  paymentRecordYears,
  privacyAnswerDays,
  recentlyDeletedDays,
  releasedDocumentDays,
  securityLogYears,
  shutdownExportDays,
  shutdownNoticeDays,
  undeliveredAfterPaymentMonths,
  unverifiedAccountDays,
  unverifiedNoticeDays,
  uptimePercent,
} from '#shared/rules/retention.ts';
import type { Section } from '#web/content/block.ts';
import { exampleSchedule } from '#web/content/silence.ts';
import { counted } from '#web/lib/format.ts';
import { supportEmail } from '#web/lib/support.ts';

const days = (count: number) => counted(count, 'day');
const months = (count: number) => counted(count, 'month');
const years = (count: number) => counted(count, 'year');
const writeToUs = `[${supportEmail}](mailto:${supportEmail})`;

export const policySections: readonly Section[] = [
  {
    id: 'data-collection',
    title: 'Data collection',
    blocks: [
      'We collect what you give us, and what we need to keep our promise to you:',
      {
        facts: [
          [
            'Your account',
            'Your name, your email address, your plan, and a phone number if you give one. If you change or remove a confirmed number, we keep the former one for 30 days and text it if a release is asked for. If you sign in with Google or another provider: its name for you, your address there, and when you used it last.',
          ],
          [
            'Your vault',
            'Messages with their pictures and recordings, documents, and who they are for. We do not read, index or study them.',
          ],
          [
            'Your contacts',
            'Name, email address, and what else you tell us of them. They learn from us that you named them.',
          ],
          ['Your recipients', 'An email address. We write to them only when a message is released to them.'],
          ['Check-ins', 'When you signed in, checked in or changed something.'],
          [
            'Reminders on a screen',
            'If you switch them on: the address that the maker of your browser gave that device. Its push service passes the notice on and cannot read it.',
          ],
          ['Security', 'The internet address and the browser of a person who does something in a vault.'],
        ],
      },
      'We use only cookies without which signing in would not work. There is no tracking, no advertising, and we sell nothing to anybody.',
      'Your browser keeps a few choices for you: light or dark, whether words are hidden, and whether keys are off. We do not receive them.',
      'The law calls our reasons a contract with you, our duties, and our legitimate interest in a safe service.',
    ],
  },
  {
    id: 'encryption',
    title: 'Encryption',
    blocks: [
      'At rest: AES-256. Messages and files are encrypted before they are stored, and each vault has a key of its own.',
      'In transit: TLS 1.3, which the server in front of the service provides.',
      'The [security page](/security) says what is encrypted, what is not, and who holds the keys.',
    ],
  },
  {
    id: 'trusted-contact-verification',
    title: 'Trusted contact verification',
    blocks: [
      'A trusted contact is asked by email and must accept. A person who has not accepted is never asked about you.',
      `We ask them after the time of silence that you chose, ${days(exampleSchedule.inactivityDays)} for a new account. You get two reminders before that.`,
      'A private link leads each of them to a page of their own. There they confirm or cancel, and give a reason.',
      'They see the titles and recipients of messages you marked as visible. They never see what a message says.',
    ],
  },
  {
    id: 'retention-and-deletion',
    title: 'Retention and deletion',
    blocks: [
      'How long we keep things:',
      {
        facts: [
          ['The page of a delivered message', `Deleted automatically after ${days(deliveryLinkDays)}.`],
          [
            'What was delivered',
            `Kept for ${months(deliveredContentFreeMonths)} after delivery on the free plan and for ${months(deliveredContentPaidMonths)} on paid plans. No delivered message is kept for more than ${years(deliveredMessageYearsMax)}, unless its reader asks us to keep it. Then it stays for ${days(letterKeptForReaderDays)} from that day.`,
          ],
          [
            'What was not delivered',
            `Kept for ${months(undeliveredAfterPaymentMonths)} after payment stops, then everything above the limits of the free plan is deleted. We tell you ${days(contentNoticeDays)} before.`,
          ],
          [
            'Documents that a contact may see',
            `Can be downloaded by that contact for ${days(releasedDocumentDays)} after a release.`,
          ],
          [
            'What you delete yourself',
            `Kept for ${days(recentlyDeletedDays)}, so that you can restore it, and then deleted. No one else can see it.`,
          ],
          ['Account data', `Kept until you delete your account, and for ${days(accountAfterDeletionDays)} after that.`],
          ['Audit logs', `Kept for ${years(auditLogYears)}.`],
          ['Security logs', `Kept for ${years(securityLogYears)}.`],
          ['Complaints about the use of data', `Kept for ${years(complaintRecordYears)} after they were answered.`],
          ['Payment records', `Kept for ${years(paymentRecordYears)}, as the law asks.`],
          [
            'Marketing data',
            `Kept until you withdraw your agreement, and for ${days(marketingAfterWithdrawalDays)} after that.`,
          ],
          [
            'Accounts whose email address nobody confirms',
            `Deleted after ${days(unverifiedAccountDays)}, with ${days(unverifiedNoticeDays)} of notice.`,
          ],
          [
            'Accounts without activity',
            `May be archived after ${years(idleAccountYears)} or more, with ${days(archiveNoticeDays)} of notice.`,
          ],
        ],
      },
      `If you delete your account, you can take that back for ${days(accountAfterDeletionDays)}. Then we destroy the key of your vault, and what is in it can never be read again.`,
    ],
  },
  {
    id: 'disaster-recovery',
    title: 'Disaster recovery',
    blocks: [
      `We aim for ${uptimePercent}% uptime. Time in which we were not there is never counted as time you had to answer.`,
      `If ${productName} should ever close, we tell you ${days(shutdownNoticeDays)} before. You then have ${days(shutdownExportDays)} to take your data with you.`,
    ],
  },
  {
    id: 'privacy-rights',
    title: 'Privacy rights',
    blocks: [
      'You can ask us:',
      {
        list: [
          'for a copy of your data, in a form that another service can read',
          'to correct what is wrong',
          'to delete it',
          'to use it less, or not at all for some purpose',
        ],
      },
      `Write to ${writeToUs}. We answer within ${days(privacyAnswerDays)}. Contacts and recipients have the same rights.`,
      `If you think that we use data wrongly, complain [with a form](/complaint) or by writing to the same address. Within ${days(complaintAcknowledgedDays)} we tell you that we have your complaint. We look into it without delay, and tell you the outcome.`,
      'If our answer does not help, you can complain to the Information Commissioner’s Office.',
    ],
  },
  {
    id: 'legal-and-compliance',
    title: 'Legal and compliance',
    blocks: [
      'We follow the UK GDPR and the Data Protection Act 2018. The law of England and Wales holds for this policy.',
      'Data protection law speaks of the living. We protect the words of a person who has died in the same way.',
      'Mail, text and storage services work for us, and only as we tell them. The operator of the service can name them.',
      'If this policy changes in a way that matters to you, we write to you before.',
      'Nothing on these pages is legal advice.',
    ],
  },
];
