import { ukFacts as facts } from '#shared/uk-facts.ts';
import type { Block } from '#web/content/block.ts';
import { englandAndWales, type Guide } from './guide.ts';

const checkedOn = '2026-11-22';

const funeralWishes: Guide = {
  id: 'funeral-wishes',
  title: 'Funeral wishes',
  intro: 'A page of wishes spares your family a hundred small questions.',
  checkedOn,
  facts: [facts.funeralPlansSince],
  parts: [
    {
      title: 'What to write down',
      blocks: [
        {
          list: [
            'burial, cremation or something else, and where',
            'who should lead it, and what your faith, or having none, asks for',
            'music, readings, clothes, flowers or gifts to charity',
            'who should be told, and who should not be',
            'what you would rather not have',
          ],
        },
        'The [funeral checklist](#checklists) has the whole list.',
      ],
    },
    {
      title: 'Where to keep it',
      blocks: [
        'Not only in the will: it is often read after the funeral. Tell somebody where the page is.',
        'Wishes for a funeral are not binding in most of the United Kingdom. Most families follow them gladly.',
      ],
    },
    {
      title: 'Paying for it',
      blocks: [
        `Since ${facts.funeralPlansSince.value}, only firms with permission from the Financial Conduct Authority may sell funeral plans. Look the firm up in its register.`,
        'Ask what the plan leaves out. Keep the papers where your family will look.',
      ],
    },
  ],
};

const digitalAccounts: Guide = {
  id: 'digital-accounts',
  title: 'Digital accounts',
  intro: 'Photographs, mail and money sit behind passwords. A few settings now open the right doors later.',
  checkedOn,
  facts: [facts.googleMonths, facts.googlePeople, facts.digitalAssetsSince],
  parts: [
    {
      title: 'Set up now',
      blocks: [
        {
          facts: [
            ['Apple', 'Name a Legacy Contact. They need the access key and a death certificate.'],
            [
              'Google',
              `Set up the Inactive Account Manager. It waits ${facts.googleMonths.value} and tells up to ${facts.googlePeople.value} people.`,
            ],
            ['Facebook', 'Name a legacy contact, or choose that the account is deleted.'],
            ['Instagram', 'It can be turned into a memorial page or removed. Nobody gets your private messages.'],
            [
              'Microsoft, WhatsApp, X, LinkedIn',
              'They close an account on proof of death. There is nobody to name beforehand.',
            ],
          ],
        },
      ],
    },
    {
      title: 'Passwords',
      blocks: [
        'Never put passwords or recovery phrases in a will: anybody can read it later. Do not type them into this vault either.',
        'Use the emergency access of a password manager, or a sealed note. Say here where it is.',
      ],
    },
    {
      title: 'What the law says',
      nations: englandAndWales,
      blocks: [
        `Since ${facts.digitalAssetsSince.value} the law says that crypto and similar things can be property. Somebody still needs the keys.`,
      ],
    },
    {
      title: 'Logging in as somebody else',
      blocks: [
        'Logging in with the password of a person who has died can break the rules of the service, or the law. Ask the service first.',
      ],
    },
  ],
};

const unmarriedCouples: Guide = {
  id: 'unmarried-couples',
  title: 'Unmarried couples',
  intro: 'Living together does not give you the rights that marriage does, however long it lasts.',
  checkedOn,
  parts: [
    {
      title: 'What to do',
      blocks: [
        {
          list: [
            'Make [wills](#wills) that name each other.',
            'Find out how you own your home. It decides who gets the other half.',
            'Name each other in every pension and workplace scheme.',
            'Make a [power of attorney](#power-of-attorney), so that you may speak for each other.',
            'Write down who should be told and who may visit.',
          ],
        },
      ],
    },
    {
      title: 'With children',
      blocks: [
        'Say in the will who should look after them. Check that both of you have parental responsibility.',
        'An unmarried parent can claim Bereavement Support Payment. The guide to [the first month](#first-month) has the amounts.',
      ],
    },
  ],
};

const smallBusinessOwners: Guide = {
  id: 'small-business-owners',
  title: 'Small business owners',
  intro: 'If you are the business, wages, orders and passwords stop with you unless somebody knows what to do.',
  checkedOn,
  parts: [
    {
      title: 'What happens to the business',
      blocks: [
        {
          facts: [
            [
              'You trade alone',
              'The business is part of your estate. Your executors pay its debts and close or sell it.',
            ],
            [
              'A partnership',
              'Without an agreement it may end with you. A written one says who carries on, and at what price.',
            ],
            [
              'A limited company',
              'The company goes on; your shares are in your estate. If you are its only director, nobody can act at first.',
            ],
          ],
        },
      ],
    },
    {
      title: 'What to do now',
      blocks: [
        {
          list: [
            'Say in your [will](#wills) who gets the business or the shares, and who may run it meanwhile.',
            'Check that the company’s articles let executors appoint a director.',
            'Make a [power of attorney](#power-of-attorney) for the business. It may need to be a separate one.',
            'Ask the bank who besides you can pay wages and suppliers.',
            'Talk to a solicitor and an accountant about agreements, insurance and tax.',
          ],
        },
      ],
    },
    {
      title: 'A letter for the first week',
      blocks: [
        'Write it to the person who would open the door on Monday, and keep it up to date.',
        {
          list: [
            'Who works for you, when they are paid, and who can reach them.',
            'The orders that are open, and the customers to call first.',
            'Accountant, bank, insurer, landlord, and where their papers are.',
            'Tax: VAT, payroll and Self Assessment references, and the next dates.',
            'Where the website, the domain name and the mail are, and who can get in. No passwords here.',
          ],
        },
      ],
    },
  ],
};

const trustedContact: Guide = {
  id: 'being-a-trusted-contact',
  title: 'Being a trusted contact',
  intro: 'Somebody named you as a person who would know what has happened to them.',
  checkedOn,
  parts: [
    {
      title: 'What you do now',
      blocks: ['Accept the invitation, and keep your email address up to date. There is nothing else to do.'],
    },
    {
      title: 'What we may ask one day',
      blocks: [
        'If they fall silent for long, we write to you. Try to reach them first: call, visit, ask somebody who lives near.',
        {
          facts: [
            ['You have heard from them', 'Choose Cancel Release. Nothing is sent, and they are told to sign in.'],
            ['They have died, or can’t act', 'Choose Confirm Message Release, and write down how you know.'],
            ['You are not sure', 'Wait, and ask others. No answer is not a yes.'],
          ],
        },
      ],
    },
    {
      title: 'What you see',
      blocks: [
        'Titles and recipients of messages they chose to show you. Others are only counted. You never see what they wrote.',
        'We never ask you for money, a password or a bank detail.',
      ],
    },
  ],
};

function talkingTo(cruse: readonly [term: string, words: string]): Block[] {
  return [
    {
      facts: [
        ['Samaritans', `${facts.samaritans.value}, free, day and night, for anybody`],
        cruse,
        ['Marie Curie', 'about the end of life and after; the number is on mariecurie.org.uk'],
        [
          'Child Bereavement UK',
          'when a child has died or somebody in a child’s life; the number is on childbereavementuk.org',
        ],
      ],
    },
    `If somebody is in danger now, call ${facts.emergency.value}.`,
  ];
}

const supportLines: Guide = {
  id: 'support-lines',
  title: 'Support lines',
  intro: 'People who listen, and people who know the forms. All of these are charities or public services.',
  checkedOn,
  facts: [facts.samaritans, facts.cruse, facts.cruseScotland, facts.emergency],
  parts: [
    {
      title: 'To talk to somebody',
      nations: ['england', 'wales', 'northern-ireland'],
      blocks: talkingTo(['Cruse Bereavement Support', `${facts.cruse.value}, free, for anybody after a death`]),
    },
    {
      title: 'To talk to somebody',
      nations: ['scotland'],
      blocks: talkingTo(['Cruse Scotland', `${facts.cruseScotland.value}, free, for anybody after a death`]),
    },
    {
      title: 'For your own situation',
      blocks: [
        {
          facts: [
            ['Winston’s Wish', 'children and young people'],
            ['Sands', 'when a baby has died'],
            ['The Compassionate Friends', 'parents, when a child of any age has died'],
            ['Widowed and Young', 'people widowed before they were 51'],
          ],
        },
      ],
    },
    {
      title: 'For forms and money',
      blocks: [
        {
          facts: [
            ['Citizens Advice', 'benefits, debts, housing and rights'],
            ['Age UK', 'older people and their families'],
            ['Bereavement Advice Centre', 'what to do, step by step'],
            ['National Bereavement Service', 'practical questions and referrals'],
          ],
        },
        'Look their numbers up on their own sites. Numbers change, and lists on the web are copied.',
      ],
    },
  ],
};

export const planningAhead: readonly Guide[] = [funeralWishes, digitalAccounts, unmarriedCouples, smallBusinessOwners];
export const standingBy: readonly Guide[] = [trustedContact, supportLines];
