import { ukFacts as facts, type UkFact } from '#shared/uk-facts.ts';
import type { FirstWeeksField, FirstWeeksNation } from './notes.ts';

/** One thing to do. `nations`: where it holds; everywhere if left out. A step with notes holds everywhere. */
export type FirstWeeksStep = {
  title: string;
  nations?: readonly FirstWeeksNation[];
  words: readonly string[];
  list?: readonly string[];
  /** Notes of the owner that belong to it. */
  notes?: readonly FirstWeeksField[];
  /** Amounts, deadlines and bodies that it names. */
  facts?: readonly UkFact[];
};

export type FirstWeeksPart = { title: string; steps: readonly FirstWeeksStep[] };

const englandAndWales = ['england-and-wales'] as const;
const scotland = ['scotland'] as const;
const northernIreland = ['northern-ireland'] as const;
const greatBritain = ['england-and-wales', 'scotland'] as const;

const firstDay: FirstWeeksPart = {
  title: 'The first day',
  steps: [
    {
      title: 'If it was at home',
      nations: greatBritain,
      words: [
        `If the death was expected, call the GP or the out-of-hours service on ${facts.urgentCare.value}. If it was not, call ${facts.emergency.value}.`,
        'In a hospital or care home, the staff call the doctor.',
      ],
      facts: [facts.urgentCare, facts.emergency],
    },
    {
      title: 'If it was at home',
      nations: northernIreland,
      words: [
        `If the death was expected, call the GP or your area’s GP out-of-hours service. If it was not, call ${facts.emergency.value}.`,
        'In a hospital or care home, the staff call the doctor.',
      ],
      facts: [facts.emergency],
    },
    {
      title: 'Tell those who are closest',
      words: ['Ask one of them to tell the others. It does not all have to be you.'],
      notes: ['people'],
    },
    { title: 'Look after the pets', words: ['Ask a neighbour for the first night.'], notes: ['pets'] },
    {
      title: 'Tell the GP surgery',
      words: ['Tell them even if a doctor has been. Ask them to cancel appointments and prescriptions.'],
      notes: ['gp'],
    },
  ],
};

const certificateTitle = 'Wait for the medical certificate';
const registerTitle = 'Register the death';

const firstWeek: FirstWeeksPart = {
  title: 'The first week',
  steps: [
    {
      title: certificateTitle,
      nations: englandAndWales,
      words: [
        'A doctor writes it, a medical examiner reviews it, and it goes to the registrar. The medical examiner’s office calls you.',
        'If the death goes to a coroner, it takes longer. The coroner’s office tells you what you can do meanwhile.',
      ],
      facts: [facts.registerDays],
    },
    {
      title: certificateTitle,
      nations: scotland,
      words: [
        'A doctor writes it. Some certificates are picked for a review of a few days.',
        'If the death goes to the procurator fiscal, their office tells you when you can register it.',
      ],
      facts: [facts.registerDaysScotland],
    },
    {
      title: certificateTitle,
      nations: northernIreland,
      words: [
        'A doctor writes it, and it is sent to the registrar or given to you.',
        'If the death goes to the coroner, the coroner’s office tells you when you can register it.',
      ],
      facts: [facts.registerDaysNi],
    },
    {
      title: registerTitle,
      nations: englandAndWales,
      words: [
        `Register within ${facts.registerDays.value} of hearing that the certificate has been sent to the registrar.`,
        'Go to a register office where the person died. Another office can send the papers on, which takes longer.',
        `Order several copies of the certificate. Each costs ${facts.certificatePrice.value}.`,
      ],
      facts: [facts.registerDays, facts.certificatePrice],
    },
    {
      title: registerTitle,
      nations: scotland,
      words: [
        `Register within ${facts.registerDaysScotland.value}, at any registration office in Scotland, or by phone.`,
        'Order several copies of the certificate. The registrar tells you the price.',
      ],
      facts: [facts.registerDaysScotland],
    },
    {
      title: registerTitle,
      nations: northernIreland,
      words: [
        `Register within ${facts.registerDaysNi.value}, at any District Registration Office.`,
        'Order several copies of the certificate. The registrar tells you the price.',
      ],
      facts: [facts.registerDaysNi],
    },
    {
      title: 'Take these papers to the registrar',
      words: ['You can register without them, but they help:'],
      list: [
        'birth certificate, and marriage or civil partnership certificate',
        'passport or driving licence',
        'NHS number, or the medical card',
        'proof of address',
        'National Insurance number',
      ],
      notes: ['passport'],
    },
    {
      title: 'Find the will',
      words: ['Look for it before you arrange a funeral. Do not staple or clip anything to it.'],
      notes: ['will'],
    },
    {
      title: 'Arrange the funeral',
      words: [
        'Ask two or three funeral directors for a price in writing. You do not have to decide today.',
        'A funeral plan may have paid for it. Wishes are a help, and the law does not bind you to them.',
      ],
      notes: ['funeral'],
    },
  ],
};

const governmentFields = [
  'National Insurance number and date of birth',
  'passport number and driving licence number',
  'benefits and council services that the person had',
  'name and address of the next of kin',
  'name and address of the executor, who must agree',
];

const firstMonth: FirstWeeksPart = {
  title: 'The first month: whom to tell',
  steps: [
    {
      title: 'Tell Us Once',
      nations: greatBritain,
      words: [
        `The registrar gives you a reference number. Use it within ${facts.tellUsOnceDays.value}, online or by phone.`,
        'It tells the tax office, the pension and benefit offices, the Passport Office, the DVLA and the council. Have ready:',
      ],
      list: governmentFields,
      facts: [facts.tellUsOnceDays],
    },
    {
      title: 'Tell the government',
      nations: northernIreland,
      words: [
        `Tell Us Once ${facts.tellUsOnceNotNi.value}. The nidirect Bereavement Service tells the benefit offices.`,
        'Tell the tax office, the Passport Office, the Driver and Vehicle Agency and the council yourself. Have ready:',
      ],
      list: governmentFields,
      facts: [facts.tellUsOnceNotNi],
    },
    {
      title: 'The bank',
      words: [
        `The Death Notification Service tells many banks with one free form. Expect an answer in ${facts.bankAnswerDays.value}.`,
        'A bank may pay the funeral bill from the account. Bring the invoice.',
      ],
      notes: ['bank'],
      facts: [facts.bankAnswerDays],
    },
    {
      title: 'The employer',
      words: ['Ask for wages that are due, and whether there is a payment on death.'],
      notes: ['employer'],
    },
    {
      title: 'Pensions',
      words: ['Tell each private and work pension yourself. Ask what it pays to the family.'],
      notes: ['pension'],
    },
    {
      title: 'The landlord or the mortgage lender',
      words: ['Ask what has to be paid, and until when. Do not give up the home before you have asked.'],
      notes: ['home'],
    },
    {
      title: 'Insurers',
      words: ['Tell the home insurer if the house is now empty. Ask each life insurer for its claim form.'],
      notes: ['insurance'],
    },
    {
      title: 'Gas, electricity, water and phone',
      words: ['Read the meters and write the figures down. Keep the phone for a while: codes and calls come to it.'],
      notes: ['utilities'],
    },
    {
      title: 'Vehicles',
      words: [
        'Do not drive the car until you have checked that you are insured: the cover may have ended.',
        `Keep the log book (V5C). ${facts.dvla.value} needs it for the next keeper, also after Tell Us Once.`,
      ],
      notes: ['vehicles'],
      facts: [facts.dvla],
    },
    {
      title: 'Accounts online',
      words: [
        'Do not log in as the person who has died. Each firm has a form for a death.',
        'Keep the main email address until the end: other accounts need it.',
      ],
      notes: ['digital'],
    },
  ],
};

const afterwards: FirstWeeksPart = {
  title: 'When there is time',
  steps: [
    {
      title: 'Who may act',
      words: [
        'The will names executors. Without a will, usually the closest relative acts.',
        'Larger accounts and a home need a legal paper: probate, or confirmation in Scotland.',
      ],
      notes: ['solicitor'],
    },
    {
      title: 'Money that the family can claim',
      words: [
        `A husband, wife, civil partner or unmarried parent may get Bereavement Support Payment. Claim within ${facts.bereavementFullWithin.value} to get all of it.`,
        `With certain benefits, ask for help with the funeral within ${facts.funeralPaymentMonths.value} of it.`,
      ],
      facts: [facts.bereavementFullWithin, facts.funeralPaymentMonths, facts.funeralPaymentMonthsScotland],
    },
    {
      title: 'Watch out for fraud',
      words: [
        'Callers make up grants, debts and unclaimed money. Hang up, and call back on a number that you looked up.',
      ],
    },
  ],
};

/** Everything to do after a death, in order of days. */
export const firstWeeksParts: readonly FirstWeeksPart[] = [firstDay, firstWeek, firstMonth, afterwards];
