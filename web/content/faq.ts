/** The questions and answers. Numbers come from the rules that the service itself goes by. */

import { contactsMax } from '#shared/rules/contacts.ts';
import { fileBytesMax, fileTypes } from '#shared/rules/files.ts';
import { answerDaysDefault, lastReminderLeadDays, waitingDaysDefault } from '#shared/rules/inactivity.ts';
import { enclosuresMax } from '#shared/rules/letters/enclosures.ts';
import { passwordLengthMin } from '#shared/rules/passwords.ts';
import { bytesPerMegabyte, plans } from '#shared/rules/plans.ts';
import {
  accountAfterDeletionDays,
  deliveredContentFreeMonths,
  deliveredContentPaidMonths,
  deliveryLinkDays,
  privacyAnswerDays,
  shutdownExportDays,
  shutdownNoticeDays,
  undeliveredAfterPaymentMonths,
} from '#shared/rules/retention.ts';
import type { Block } from '#web/content/block.ts';
import { exampleSchedule, offeredDaysInRow, offeredSchedules } from '#web/content/silence.ts';
import { money } from '#web/lib/format.ts';
import { supportEmail } from '#web/lib/support.ts';

export type Question = { id: string; question: string; answer: readonly Block[] };
export type QuestionGroup = { id: string; title: string; questions: readonly Question[] };

const { free, essential, premium, lifetime } = plans;

const starting: QuestionGroup = {
  id: 'starting',
  title: 'Getting started',
  questions: [
    {
      id: 'what-is-it',
      question: 'What is Everkept?',
      answer: [
        'A place for letters that wait. You write to people now, and we keep every letter shut.',
        'If you die, or fall silent for a long time, we make sure they arrive. Each reader gets a private link of their own.',
      ],
    },
    {
      id: 'how-to-begin',
      question: 'How do I begin?',
      answer: [
        '[Create an account](/register) and press the link in the verification email. Then write a first message and name a trusted contact.',
        'The [user guide](/user-guide) shows the way in six steps.',
      ],
    },
    {
      id: 'what-do-i-need',
      question: 'What do I need for it?',
      answer: ['A browser and an email address. There is nothing to install.'],
    },
    {
      id: 'why-verify',
      question: 'Why must I verify my email address?',
      answer: [
        'Because everything rests on reaching you. We send reminders there before we write to anybody else.',
        'Until it is verified, we send nothing to anybody else, and nothing can be released.',
      ],
    },
    {
      id: 'what-to-write',
      question: 'What do people write?',
      answer: [
        'A story, a recipe, a thank-you, advice for a birthday. Others say where the papers are, and who to call.',
        'Three lines are enough for a first letter. You can change it until it is delivered.',
      ],
    },
  ],
};

const silence: QuestionGroup = {
  id: 'silence',
  title: 'Check-ins and silence',
  questions: [
    {
      id: 'signs-of-life',
      question: 'How do you know that I am well?',
      answer: [
        'Each of these tells us that you are there, and starts your time again:',
        {
          list: [
            'You sign in.',
            'You press Check In on your dashboard.',
            'You press the button behind the link in a reminder.',
            'You change something in your vault while you are signed in.',
          ],
        },
        'Opening a page or an email does not count. Mail programs open links by themselves.',
      ],
    },
    {
      id: 'how-long-silent',
      question: 'How long may I be silent?',
      answer: [
        `You choose: ${offeredDaysInRow} days. A new account starts with ${exampleSchedule.inactivityDays}, and you can change it at any time.`,
      ],
    },
    {
      id: 'when-reminded',
      question: 'When do you remind me, and when do you ask my contacts?',
      answer: [
        'We count from the day we last heard from you:',
        {
          facts: offeredSchedules.map(
            ({ inactivityDays, firstReminderDay, lastReminderDay, contactsAskedDay, automaticDeliveryDay }) =>
              [
                `${inactivityDays} days`,
                `First reminder on day ${firstReminderDay}, last reminder on day ${lastReminderDay}, contacts asked on day ${contactsAskedDay}. Automatic delivery on day ${automaticDeliveryDay}, if you chose it and nobody answers.`,
              ] as const,
          ),
        },
        'Your dashboard draws these steps with their dates.',
      ],
    },
    {
      id: 'long-holiday',
      question: 'What if I am only on a long holiday?',
      answer: [
        `We write to you twice before we write to anybody else. The last reminder comes ${lastReminderLeadDays} days before we ask your contacts.`,
        'One press on Check In, and everything starts again from that day. Nothing is sent.',
      ],
    },
    {
      id: 'reminders-by-text',
      question: 'Can reminders come by text?',
      answer: [
        'Yes, once you have typed the code that we text to your number. Where the service can send texts, each reminder then comes by email and by text.',
        'You give the number, change it and remove it on your dashboard, under Reminders by text. Reply YES to a text to check in, or STOP for no more of them.',
      ],
    },
    {
      id: 'your-outage',
      question: 'What if your service or your mail breaks down?',
      answer: [
        'Then the time you have to answer stands still. Hours in which we could not work, or could send no mail, are not counted.',
        'A reminder counts only once a mail server has accepted it. So a breakdown of ours can’t lead to a release.',
      ],
    },
    {
      id: 'coming-back',
      question: 'What happens if I come back late?',
      answer: [
        'As soon as we hear from you, everything stops. Links we sent to your contacts stop working, and we tell them that nothing was sent.',
        'If delivery has begun, we stop what is not sent yet. We also close the links that nobody has opened.',
      ],
    },
  ],
};

const contacts: QuestionGroup = {
  id: 'contacts',
  title: 'Trusted contacts',
  questions: [
    {
      id: 'what-contacts-do',
      question: 'What does a trusted contact do?',
      answer: [
        'Nothing at first, except to say yes. If you stop answering, we ask them whether they know what has happened.',
        'They then confirm that your messages should go out, or cancel. [See what they see](/trusted-contact-demo).',
      ],
    },
    {
      id: 'contacts-reading',
      question: 'Can my trusted contacts read my letters?',
      answer: [
        'No. They see the titles and recipients of messages that you marked as visible, and never the content. The others are only counted.',
      ],
    },
    {
      id: 'how-many-contacts',
      question: 'How many should I name?',
      answer: [
        'Two are better than one: people move, change their address, and die. Choose people who would hear if something happened to you.',
        `There can be up to ${contactsMax}. One confirmation is enough to release your messages.`,
      ],
    },
    {
      id: 'must-contacts-accept',
      question: 'Do they have to agree?',
      answer: [
        'Yes. We email an invitation, and only people who accept are asked later. They need no account and no password.',
        'You see on the Trusted Contacts page who has accepted. You can send an invitation again.',
      ],
    },
    {
      id: 'nobody-answers',
      question: 'What if none of my contacts answers?',
      answer: [
        `That depends on the release method. With inactivity, your messages go out by themselves after ${answerDaysDefault} more days.`,
        'With trusted contacts, nothing is ever sent unless one of them confirms.',
      ],
    },
    {
      id: 'asking-early',
      question: 'Can a contact ask before the time is over?',
      answer: [
        'Yes, if something has happened. A contact who has accepted can ask for an [emergency activation](/emergency-activation).',
        `You are told in every way we can. Then we try to reach you for ${waitingDaysDefault} days, or as many as you chose, before anything is sent. One press from you stops it.`,
      ],
    },
    {
      id: 'contact-mistake',
      question: 'What if a contact makes a mistake?',
      answer: [
        'Confirming takes a reason and a second step, in which a word must be typed. We write to you at every step, and one press stops it.',
        'If a contact cancels, nothing is sent. If you stay silent, we ask again later.',
      ],
    },
  ],
};

const delivery: QuestionGroup = {
  id: 'delivery',
  title: 'Messages and delivery',
  questions: [
    {
      id: 'how-it-arrives',
      question: 'How does a message arrive?',
      answer: [
        'Its recipient gets an email with a private link. The letter opens in the browser, without an account.',
        'The email itself holds nothing of what you wrote.',
      ],
    },
    {
      id: 'which-are-sent',
      question: 'Which messages are sent?',
      answer: ['Only those saved with Save & Ready to Send. A draft is never sent.'],
    },
    {
      id: 'how-long-readable',
      question: 'How long can a recipient read it?',
      answer: [
        `The link works for ${deliveryLinkDays} days. The page says so, and offers to print or save the letter.`,
        'If the link has ended and the message is still kept, they can ask for a new one. It goes to the same address only.',
      ],
    },
    {
      id: 'dead-address',
      question: 'What if an email address no longer works?',
      answer: [
        'We try again for a long time. If it is refused permanently, we tell your trusted contacts that we could not reach a person you wrote to.',
        'Nothing is deleted because a send failed.',
      ],
    },
    {
      id: 'change-later',
      question: 'Can I change a message later?',
      answer: ['Yes, until it is delivered. After that you can read and delete it, but it stays as it was sent.'],
    },
    {
      id: 'attachments',
      question: 'Can I send a file with a message?',
      answer: [
        `Yes, one file of up to ${fileBytesMax / bytesPerMegabyte} MB for each message, from the ${essential.title} plan on.`,
      ],
    },
    {
      id: 'pictures-and-voice',
      question: 'Can they hear my voice and see pictures?',
      answer: [
        `Yes, from the ${essential.title} plan on. You record your voice on the page, or choose a recording, and can write down what you say for anyone who cannot listen. Up to ${enclosuresMax.picture} pictures stand where you put them in the letter.`,
        'Your device removes the place where a picture was taken before it sends the picture, unless you keep the place. A letter with a passphrase has its pictures, voice and file sealed with it, on your device.',
      ],
    },
  ],
};

const papers: QuestionGroup = {
  id: 'papers',
  title: 'Documents and wills',
  questions: [
    {
      id: 'is-this-a-will',
      question: 'Is this a will?',
      answer: [
        'No. A file in this vault is not a valid will. Keep the signed paper safe, and say here where it is.',
        'A solicitor or Citizens Advice can tell you what a will needs where you live.',
      ],
    },
    {
      id: 'what-documents',
      question: 'Which documents can I keep?',
      answer: [
        `These types, up to ${fileBytesMax / bytesPerMegabyte} MB each: ${Object.keys(fileTypes).join(', ')}. The document vault starts with the ${essential.title} plan.`,
        `There is room for ${essential.storageLimitMb} MB on ${essential.title} and more on the plans above.`,
      ],
    },
    {
      id: 'passwords-inside',
      question: 'Should I write my passwords in here?',
      answer: [
        'Better not. Use the emergency access of a password manager, or a sealed note at home. Say here where it is.',
      ],
    },
  ],
};

const privacy: QuestionGroup = {
  id: 'safety',
  title: 'Security and privacy',
  questions: [
    {
      id: 'who-can-read',
      question: 'Who can read what I write?',
      answer: [
        'You, and later the people it is for. What you write is encrypted before it is stored, with a key of your vault alone.',
        'The service holds the keys, since it must deliver when you no longer can. No page shows your letters to our staff.',
        'The [security page](/security) says how it is done.',
      ],
    },
    {
      id: 'forgot-password',
      question: 'What if I forget my password?',
      answer: [
        'Choose Forgot password on the [sign-in page](/login). We email a link that works once. A new password signs out every device and removes links with Google and other providers; you can link them again.',
      ],
    },
    {
      id: 'good-password',
      question: 'What is a good password?',
      answer: [
        `At least ${passwordLengthMin} characters. A few words that only you would put together are better than symbols you can’t remember.`,
        'The passwords that most people use are refused.',
      ],
    },
    {
      id: 'second-step',
      question: 'Is there a second step at sign-in?',
      answer: [
        'Yes. Under Privacy & Security you can set up an app that shows a code, and passkeys. You get ten recovery codes for the day your phone is lost.',
      ],
    },
    {
      id: 'cookies',
      question: 'Do you use cookies?',
      answer: [
        'Only those without which signing in would not work. There is no tracking and no advertising, and nothing is loaded from other sites.',
      ],
    },
    {
      id: 'my-data',
      question: 'Can I get a copy of my data, or have it deleted?',
      answer: [
        `Yes, yourself and at once, under Data Export. You can also write to [${supportEmail}](mailto:${supportEmail}). We answer within ${privacyAnswerDays} days.`,
        `A deletion can be taken back for ${accountAfterDeletionDays} days. Then the key of your vault is destroyed, and nothing in it can be read again.`,
        'The [privacy policy](/privacy-policy) has the rest.',
      ],
    },
  ],
};

const prices: QuestionGroup = {
  id: 'plans',
  title: 'Plans, and what happens if you stop',
  questions: [
    {
      id: 'what-it-costs',
      question: 'What does it cost?',
      answer: [
        {
          facts: [
            [
              free.title,
              `${money(0)}. ${free.messageLimit} messages, text only, and ${free.storageLimitMb} MB of storage.`,
            ],
            [
              essential.title,
              `${money(essential.priceMonthlyPence ?? 0)} a month or ${money(essential.priceAnnualPence ?? 0)} a year. ${essential.messageLimit} messages and ${essential.storageLimitMb} MB.`,
            ],
            [
              premium.title,
              `${money(premium.priceMonthlyPence ?? 0)} a month or ${money(premium.priceAnnualPence ?? 0)} a year. Unlimited messages and ${premium.storageLimitMb / 1_000} GB.`,
            ],
            [
              lifetime.title,
              `${money(lifetime.priceOncePence ?? 0)} once. Unlimited messages and ${lifetime.storageLimitMb / 1_000} GB.`,
            ],
          ],
        },
        'Check-ins, trusted contacts and release settings are part of every plan. Safety is not sold.',
      ],
    },
    {
      id: 'how-to-pay',
      question: 'How do I pay, and how do I stop?',
      answer: [
        'By card through Stripe, or with PayPal, on the [subscription page](/subscribe). We never see the number of your card.',
        'A plan renews until you cancel it under Account & Billing, in two clicks. It then runs to the end of the time you have paid for.',
      ],
    },
    {
      id: 'stop-paying',
      question: 'What if I stop paying?',
      answer: [
        'Nothing is deleted or hidden at once. You can’t add more until you are back within the limits of your plan.',
        `What was never delivered is kept for ${undeliveredAfterPaymentMonths} months after payment stops. A delivery that has begun is never stopped by a bill.`,
      ],
    },
    {
      id: 'after-delivery',
      question: 'How long do you keep what was delivered?',
      answer: [
        `For ${deliveredContentFreeMonths} months on ${free.title}, and for ${deliveredContentPaidMonths} months on a paid plan. Then it is deleted.`,
      ],
    },
    {
      id: 'if-you-close',
      question: 'What if Everkept closes one day?',
      answer: [
        `We would tell you ${shutdownNoticeDays} days before. You would have ${shutdownExportDays} days to take out what is yours.`,
      ],
    },
  ],
};

export const questionGroups: readonly QuestionGroup[] = [
  starting,
  silence,
  contacts,
  delivery,
  papers,
  privacy,
  prices,
];
