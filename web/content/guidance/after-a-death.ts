import { ukFacts as facts } from '#shared/uk-facts.ts';
import { englandAndWales, type Guide, greatBritain, northernIrelandOnly, scotlandOnly } from './guide.ts';

const checkedOn = '2026-11-22';

const firstDay = [
  'In a hospital or care home, the staff call the doctor and tell you what comes next.',
  'Tell the people who are closest. Ask one of them to tell the others.',
];

export const firstWeek: Guide = {
  id: 'first-week',
  title: 'The first week after someone dies',
  intro: 'Only a few things cannot wait. Everything else can be done later, and by more than one person.',
  checkedOn,
  facts: [facts.urgentCare, facts.emergency],
  parts: [
    {
      title: 'On the day',
      nations: greatBritain,
      blocks: [
        `If a death at home was expected, call the GP or the out-of-hours service on ${facts.urgentCare.value}. If it was not expected, call ${facts.emergency.value}.`,
        ...firstDay,
      ],
    },
    {
      title: 'On the day',
      nations: northernIrelandOnly,
      blocks: [
        `If a death at home was expected, call the GP or your area’s GP out-of-hours service. If it was not expected, call ${facts.emergency.value}.`,
        'Each area has its own number for it: your surgery’s answering machine says it, and gpoutofhours.hscni.net lists them.',
        ...firstDay,
      ],
    },
    {
      title: 'The medical certificate',
      nations: englandAndWales,
      blocks: [
        'A doctor writes the medical certificate of cause of death. A medical examiner reviews it, and may call you.',
        'It goes to the registrar by itself. You do not need to carry it there.',
        'Some deaths go to a coroner. Then registration takes longer, and the coroner’s office tells you what you can do meanwhile.',
      ],
    },
    {
      title: 'The medical certificate',
      nations: scotlandOnly,
      blocks: [
        'A doctor writes the medical certificate of cause of death. Some certificates are picked for review, which can take a few days.',
        'Some deaths go to the procurator fiscal. Their office tells you when the death can be registered.',
      ],
    },
    {
      title: 'The medical certificate',
      nations: northernIrelandOnly,
      blocks: [
        'A doctor writes the medical certificate of cause of death, and it is sent to the registrar or given to you.',
        'Some deaths go to the coroner. The coroner’s office then tells you when the death can be registered.',
      ],
    },
    {
      title: 'What cannot wait',
      blocks: [
        {
          list: [
            'Register the death. The guide [Registering a death](#registering-a-death) says how.',
            'Look for a will and for funeral wishes, before you arrange a funeral.',
            'Make the home safe: heating, pets, post, windows, keys.',
            'Tell the home insurer if the house is now empty.',
          ],
        },
        'Do not pay the person’s bills from your own money. Do not share out what they owned yet.',
      ],
    },
    {
      title: 'Choosing a funeral director',
      blocks: [
        'Ask two or three for a price in writing. They must show their prices.',
        'You do not have to use one, and you do not have to decide today.',
      ],
    },
  ],
};

const firstMonth: Guide = {
  id: 'first-month',
  title: 'The first month',
  intro: 'Tell those who need to know, and find out who may act.',
  checkedOn,
  facts: [
    facts.tellUsOnceDays,
    facts.bankAnswerDays,
    facts.bereavementFirstHigher,
    facts.bereavementMonthlyHigher,
    facts.bereavementMonths,
    facts.bereavementFirst,
    facts.bereavementMonthly,
    facts.bereavementFullWithin,
    facts.bereavementLatest,
    facts.funeralPaymentMonths,
    facts.funeralPaymentMonthsScotland,
  ],
  parts: [
    {
      title: 'Tell the government once',
      nations: greatBritain,
      blocks: [
        `The registrar gives you a number for Tell Us Once. Use it within ${facts.tellUsOnceDays.value}. The guide [Tell Us Once](#tell-us-once) says what you need.`,
      ],
    },
    {
      title: 'Tell the government',
      nations: northernIrelandOnly,
      blocks: [
        'Tell Us Once does not work in Northern Ireland. The nidirect Bereavement Service tells the benefit offices for you.',
        'Tell the tax office, the passport office and the driver licence agency yourself.',
      ],
    },
    {
      title: 'Tell the others',
      blocks: [
        'Many organisations must be told. Keep a list of whom you told, and when.',
        {
          list: [
            'banks, building societies and card companies',
            'insurers and private pensions',
            'energy, water, phone and broadband',
            'landlord or mortgage lender',
            'employer, clubs and subscriptions',
            'GP, dentist and schools',
          ],
        },
        `The Death Notification Service tells many banks with one free form. Expect an answer in ${facts.bankAnswerDays.value}.`,
      ],
    },
    {
      title: 'Who may act',
      blocks: [
        'A will names executors. Where there is no will, usually the closest relative acts.',
        'A bank may pay the funeral bill from the account before anybody has a legal paper. Bring the invoice.',
        'The guide on [probate and confirmation](#probate) says when such a paper is needed.',
      ],
    },
    {
      title: 'Money you can claim',
      blocks: [
        'Bereavement Support Payment is for husbands, wives, civil partners, and unmarried parents who lived together. You must be under State Pension age.',
        `With children it is ${facts.bereavementFirstHigher.value} and then ${facts.bereavementMonthlyHigher.value} a month, for up to ${facts.bereavementMonths.value}. Without, ${facts.bereavementFirst.value} and ${facts.bereavementMonthly.value} a month.`,
        `Claim within ${facts.bereavementFullWithin.value} of the death to get all of it, and within ${facts.bereavementLatest.value} to get anything.`,
      ],
    },
    {
      title: 'Help with the funeral',
      nations: ['england', 'wales', 'northern-ireland'],
      blocks: [
        `If you get certain benefits, ask for a funeral payment within ${facts.funeralPaymentMonths.value} of the funeral.`,
        'The council, hospital or health trust arranges a simple funeral where nobody else can.',
      ],
    },
    {
      title: 'Help with the funeral',
      nations: scotlandOnly,
      blocks: [
        `If you get certain benefits, ask Social Security Scotland for a Funeral Support Payment within ${facts.funeralPaymentMonthsScotland.value} of the funeral.`,
        'The council arranges a simple funeral where nobody else can.',
      ],
    },
    {
      title: 'Watch out for fraud',
      blocks: [
        'People read notices of deaths and call with made-up grants, debts or unclaimed money. Hang up, and call back on a number you looked up.',
        'Register with the Bereavement Register to stop post in the person’s name.',
      ],
    },
  ],
};

const firstYear: Guide = {
  id: 'first-year',
  title: 'The first year',
  intro: 'Settle what is left, at a pace you can keep.',
  checkedOn,
  facts: [facts.taxFreeBand, facts.taxHomeBand, facts.taxRate, facts.pensionsTaxedFrom],
  parts: [
    {
      title: 'Tax',
      blocks: [
        `There is usually no Inheritance Tax up to ${facts.taxFreeBand.value}. A home left to children or grandchildren can add ${facts.taxHomeBand.value}. Above that, the rate is ${facts.taxRate.value}.`,
        `What goes to a husband, wife, civil partner or charity is free of it. Tax that is due must be paid by the end of the sixth month after the death.`,
        `Most unused pension money counts from ${facts.pensionsTaxedFrom.value}. Ask the pension firm, or a tax adviser.`,
        'The person may also be owed Income Tax, or owe some. The tax office writes to you about it.',
      ],
    },
    {
      title: 'The home',
      blocks: [
        'A home in one name can usually be sold only after probate or confirmation.',
        'A shared home may pass to the other owner by itself. Ask how it was owned before you act.',
      ],
    },
    {
      title: 'Sharing out',
      blocks: [
        'Pay debts and tax first. Then give what the will, or the law, says.',
        'Keep accounts of what came in and went out. Ask everybody to sign for what they receive.',
        'Ask a solicitor how long to wait before the last share, in case somebody makes a claim.',
      ],
    },
    {
      title: 'Dates',
      blocks: [
        'Birthdays, holidays and the day itself may be hard or may not be. There is no right way to spend them.',
        'If you want to talk to somebody, [support lines](#support-lines) are there at any time, also years later.',
      ],
    },
  ],
};

export const registering: Guide = {
  id: 'registering-a-death',
  title: 'Registering a death',
  intro: 'The registrar writes the death into the public record. You need it for everything else.',
  checkedOn,
  facts: [facts.registerDays, facts.registerDaysScotland, facts.registerDaysNi, facts.certificatePrice],
  parts: [
    {
      title: 'How long you have',
      nations: englandAndWales,
      blocks: [
        `Register within ${facts.registerDays.value} of hearing that the certificate has been sent. With a coroner it takes longer.`,
        'Go to a register office where the person died. Another office can send the papers on, which takes longer.',
      ],
    },
    {
      title: 'How long you have',
      nations: scotlandOnly,
      blocks: [
        `Register within ${facts.registerDaysScotland.value}, at any registration office in Scotland, or by phone.`,
      ],
    },
    {
      title: 'How long you have',
      nations: northernIrelandOnly,
      blocks: [
        `Register within ${facts.registerDaysNi.value}, at any District Registration Office. With a coroner it takes longer.`,
      ],
    },
    {
      title: 'Who can do it',
      blocks: ['A relative, somebody who was there, an official of the place, or the person who arranges the funeral.'],
    },
    {
      title: 'What to bring',
      blocks: [
        'You can register without these papers, but they help:',
        {
          list: [
            'birth certificate, and marriage or civil partnership certificate',
            'passport or driving licence',
            'NHS number or medical card',
            'proof of address',
            'National Insurance number',
          ],
        },
        'The registrar asks for full names, former names, date and place of birth, job, address, and details of a partner.',
      ],
    },
    {
      title: 'What you get',
      blocks: [
        'A certificate for the burial or cremation, and copies of the death certificate as you order them.',
        'Order several copies at once. Banks and insurers ask for one each, and most send it back.',
      ],
    },
    {
      title: 'What copies cost',
      nations: englandAndWales,
      blocks: [`Each copy costs ${facts.certificatePrice.value}. Ask the registrar for the price today.`],
    },
    {
      title: 'What copies cost',
      nations: ['scotland', 'northern-ireland'],
      blocks: ['Ask the registrar for the price. It costs more to order copies later.'],
    },
  ],
};

const tellUsOnce: Guide = {
  id: 'tell-us-once',
  title: 'Tell Us Once',
  intro: 'One call, or one form, tells most of the government that somebody has died.',
  checkedOn,
  facts: [facts.tellUsOnceDays, facts.tellUsOnceNotNi],
  parts: [
    {
      title: 'Not in Northern Ireland',
      nations: northernIrelandOnly,
      blocks: [
        `Tell Us Once ${facts.tellUsOnceNotNi.value}. Call the nidirect Bereavement Service, which tells the benefit offices.`,
        'Tell the tax office, the passport office, the driver licence agency and the council yourself.',
      ],
    },
    {
      title: 'How it works',
      nations: greatBritain,
      blocks: [
        'The registrar gives you a reference number when you register the death. You use it online or by phone.',
        `You have ${facts.tellUsOnceDays.value} from the day you get the number. Ask the registrar for it if you were not given one.`,
      ],
    },
    {
      title: 'Whom it tells',
      nations: greatBritain,
      blocks: [
        {
          list: [
            'the tax office (HMRC)',
            'benefits and the State Pension (DWP)',
            'the Passport Office and the driver licence agency (DVLA)',
            'the council: housing, council tax, library, Blue Badge, voting',
            'some public sector pensions',
          ],
        },
      ],
    },
    {
      title: 'What to have ready',
      nations: greatBritain,
      blocks: [
        {
          list: [
            'the person’s National Insurance number and date of birth',
            'passport and driving licence numbers',
            'details of benefits and council services they had',
            'name and address of the next of kin',
            'name and address of the executor, who must agree',
          ],
        },
      ],
    },
    {
      title: 'Whom it does not tell',
      blocks: [
        'Banks, insurers, private pensions, energy, phone, landlord, employer, subscriptions, doctors and schools. You tell them yourself.',
      ],
    },
  ],
};

export const afterADeath: readonly Guide[] = [firstWeek, firstMonth, firstYear, registering, tellUsOnce];
