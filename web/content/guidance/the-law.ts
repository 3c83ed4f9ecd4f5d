import { ukFacts as facts } from '#shared/uk-facts.ts';
import { englandAndWales, type Guide, northernIrelandOnly, scotlandOnly } from './guide.ts';

const checkedOn = '2026-11-22';

const probate: Guide = {
  id: 'probate',
  title: 'Probate and confirmation',
  intro: 'The legal paper that lets somebody deal with what a person owned. Not every family needs it.',
  checkedOn,
  facts: [facts.probateFreeUpTo, facts.smallEstateScotland],
  parts: [
    {
      title: 'When you need it',
      blocks: [
        'You usually need it to sell a home in one name, and to close larger accounts. Each bank sets its own limit, so ask.',
        'You may not need it where everything was shared with a husband, wife or civil partner.',
      ],
    },
    {
      title: 'England and Wales: probate',
      nations: englandAndWales,
      blocks: [
        'The executors named in the will apply for probate. Where there is no will, the closest relative applies to be administrator.',
        {
          list: [
            'Find out what the person owned and owed on the day they died.',
            'Report the value to the tax office if you must, and pay tax that is due.',
            'Apply online or by post, with the original will and a death certificate.',
            'Collect the money, pay the debts, then share out the rest.',
          ],
        },
        `There is a fee where the estate is over ${facts.probateFreeUpTo.value}. Up to that there is none. Fees change: GOV.UK shows what it is today.`,
        'On a low income you can ask for help with the fee.',
      ],
    },
    {
      title: 'Scotland: confirmation',
      nations: scotlandOnly,
      blocks: [
        'In Scotland the paper is called confirmation. It comes from the sheriff court where the person lived.',
        `For estates up to ${facts.smallEstateScotland.value}, the sheriff clerk helps you with the forms for free.`,
        'Children, and a husband, wife or civil partner, have legal rights to a share, whatever the will says.',
      ],
    },
    {
      title: 'Northern Ireland: probate',
      nations: northernIrelandOnly,
      blocks: [
        'You apply to the Probate Office in Belfast, or to the district office in Londonderry.',
        'Its staff explain the forms. They can’t give legal advice. The fee is on the site of the Department of Justice.',
      ],
    },
    {
      title: 'Not legal advice',
      blocks: [
        'This guide is not legal advice. See a solicitor where there is a business, property abroad, a dispute, or debts larger than what is left.',
      ],
    },
  ],
};

const wills: Guide = {
  id: 'wills',
  title: 'Wills',
  intro: 'A will says who gets what, who acts, and who looks after children. The rules differ by nation.',
  checkedOn,
  facts: [facts.willAge, facts.willAgeScotland, facts.witnessAgeScotland, facts.willAgeNi, facts.spouseFirstShare],
  parts: [
    {
      title: 'A file here is not a will',
      blocks: [
        'A file in this vault is not a valid will, and neither is one signed on a screen. Keep the signed paper safe, and say here where it is.',
      ],
    },
    {
      title: 'What makes it valid',
      nations: englandAndWales,
      blocks: [
        {
          list: [
            `You are ${facts.willAge.value} or over and of sound mind.`,
            'It is in writing, and you sign it of your own free will.',
            'Two adult witnesses are present together when you sign, and then sign too.',
            'Neither a witness, nor a witness’s husband, wife or civil partner, receives anything.',
          ],
        },
        'Marriage or civil partnership cancels an earlier will. Divorce takes out gifts to a former partner. Make a new will after either.',
        'Do not staple or clip anything to it.',
      ],
    },
    {
      title: 'What makes it valid',
      nations: scotlandOnly,
      blocks: [
        {
          list: [
            `You are ${facts.willAgeScotland.value} or over and understand what you do.`,
            'It is in writing, and you sign every page.',
            `One witness of ${facts.witnessAgeScotland.value} or over sees you sign, and signs the last page.`,
          ],
        },
        'Marriage does not cancel a will in Scotland. Children, and a husband, wife or civil partner, keep legal rights to a share.',
      ],
    },
    {
      title: 'What makes it valid',
      nations: northernIrelandOnly,
      blocks: [
        {
          list: [
            `You are ${facts.willAgeNi.value} or over, or are or have been married, and of sound mind.`,
            'It is in writing, and you sign it of your own free will.',
            'Two witnesses are present together when you sign, and then sign too.',
            'Neither a witness, nor a witness’s husband, wife or civil partner, receives anything.',
          ],
        },
        'Marriage or civil partnership cancels an earlier will.',
      ],
    },
    {
      title: 'Without a will',
      nations: englandAndWales,
      blocks: [
        `A husband, wife or civil partner gets everything if there are no children. Otherwise they get belongings, the first ${facts.spouseFirstShare.value} and half of the rest.`,
        'An unmarried partner, step-children and friends get nothing by themselves.',
      ],
    },
    {
      title: 'Without a will',
      nations: scotlandOnly,
      blocks: [
        'The law shares out the estate: first to a husband, wife or civil partner within limits, then by family.',
        'An unmarried partner can ask the court for a share, within a short time. See a solicitor at once.',
      ],
    },
    {
      title: 'Without a will',
      nations: northernIrelandOnly,
      blocks: [
        'The law shares out the estate among a husband, wife or civil partner, children and other family.',
        'An unmarried partner, step-children and friends get nothing by themselves.',
      ],
    },
    {
      title: 'When to see a solicitor',
      blocks: [
        'This guide is not legal advice. See a solicitor if you have children from an earlier relationship, a business, property abroad, people who depend on you, or tax to plan.',
      ],
    },
  ],
};

const powerOfAttorney: Guide = {
  id: 'power-of-attorney',
  title: 'Power of attorney',
  intro: 'A paper that lets somebody you trust decide for you, if one day you can’t. It ends when you die.',
  checkedOn,
  facts: [facts.lpaFee, facts.lpaWeeks],
  parts: [
    {
      title: 'Lasting power of attorney',
      nations: englandAndWales,
      blocks: [
        'There are two kinds. One is for health and welfare, the other for property and money. You can make either or both.',
        {
          list: [
            'You must be 18 or over and able to decide for yourself when you make it.',
            'Somebody who knows you, or a professional, confirms that you understand it.',
            'It can’t be used until the Office of the Public Guardian has registered it.',
          ],
        },
        `Registering costs ${facts.lpaFee.value} for each, less on a low income. Allow ${facts.lpaWeeks.value}. Fees and times change: check on GOV.UK.`,
      ],
    },
    {
      title: 'Continuing and welfare power of attorney',
      nations: scotlandOnly,
      blocks: [
        'A continuing power of attorney is for money and property. A welfare power of attorney is for care and health.',
        'A solicitor or a doctor certifies that you understand it. It is registered with Scotland’s own Office of the Public Guardian.',
      ],
    },
    {
      title: 'Enduring power of attorney',
      nations: northernIrelandOnly,
      blocks: [
        'An enduring power of attorney is for money and property. It does not cover health.',
        'It is registered with the Office of Care and Protection when you can no longer decide.',
      ],
    },
    {
      title: 'Wishes about treatment',
      blocks: [
        'You can refuse a treatment in advance. To refuse one that keeps you alive, write it down, sign it and have it witnessed.',
        'Organ donation is opt-out in all four nations. Tell your family what you decided: they are asked.',
      ],
    },
    {
      title: 'Not legal advice',
      blocks: ['This guide is not legal advice. Citizens Advice or a solicitor can help you choose.'],
    },
  ],
};

const executor: Guide = {
  id: 'being-an-executor',
  title: 'Being an executor',
  intro: 'Somebody asked you to carry out their will. Here is what that means.',
  checkedOn,
  parts: [
    {
      title: 'What you do',
      blocks: [
        {
          list: [
            'Find the original will, and arrange the funeral if nobody else does.',
            'Keep the home and belongings safe and insured.',
            'List what the person owned and owed.',
            'Apply for [probate or confirmation](#probate) where it is needed.',
            'Pay debts and tax, then give what the will says.',
            'Keep accounts, and every receipt.',
          ],
        },
      ],
    },
    {
      title: 'What you don’t have to do',
      blocks: [
        'You may refuse, as long as you have not begun to act. You may also let another executor begin, and keep the right to join.',
        'You may pay a solicitor from the estate. You may not pay yourself, unless the will says so.',
      ],
    },
    {
      title: 'Where people go wrong',
      blocks: [
        'They share out too early. If a debt turns up later, the executor may have to pay it.',
        'They act alone. Write to the people in the will every month, even when there is nothing new.',
      ],
    },
    {
      title: 'Not legal advice',
      blocks: ['This guide is not legal advice. Executors are responsible with their own money, so ask when unsure.'],
    },
  ],
};

export const theLaw: readonly Guide[] = [wills, powerOfAttorney, probate, executor];
