import { type SupportLine, supportLines } from '#shared/support-lines.ts';

/**
 * Every amount, deadline and phone number that the guidance names. They change, so each says when it was checked and
 * where; a test fails when one has not been checked for a year.
 */
export const nations = ['england', 'wales', 'scotland', 'northern-ireland'] as const;
export type Nation = (typeof nations)[number];

export const nationNames: Record<Nation, string> = {
  england: 'England',
  wales: 'Wales',
  scotland: 'Scotland',
  'northern-ireland': 'Northern Ireland',
};

/** Source of an amount or a deadline, for readers who want to check it. */
export type FactSource = { title: string; url: string };

export type UkFact = {
  value: string;
  /** Nation it applies to; `uk` for all. */
  nation: Nation | 'england-and-wales' | 'great-britain' | 'outside-scotland' | 'uk';
  source: FactSource;
  /** The day it was last compared with what could be read, as `2026-11-21`. The source itself has the last word. */
  checkedOn: string;
  /**
   * Source of that day's comparison. `body`: the body's own text, in a stored copy that may be older. `others`: other
   * publishers. `nothing`: no source was found, so the guide must not sound certain.
   */
  comparedWith: 'body' | 'others' | 'nothing';
};

const checkedOn = '2026-11-22';

const sources = {
  registerDeath: { title: 'GOV.UK: Register a death', url: 'https://www.gov.uk/register-a-death' },
  registerDeathScotland: {
    title: 'National Records of Scotland: Registering a death',
    url: 'https://www.nrscotland.gov.uk/registration/registering-a-death',
  },
  registerDeathNi: {
    title: 'nidirect: Registering a death with the district registrar',
    url: 'https://www.nidirect.gov.uk/articles/registering-death-district-registrar',
  },
  certificate: {
    title: 'GOV.UK: Order a copy of a birth, death or marriage certificate',
    url: 'https://www.gov.uk/order-copy-birth-death-marriage-certificate',
  },
  tellUsOnce: {
    title: 'GOV.UK: Tell Us Once',
    url: 'https://www.gov.uk/after-a-death/organisations-you-need-to-contact-and-tell-us-once',
  },
  dvla: {
    title: 'GOV.UK: Tell DVLA that someone has died',
    url: 'https://www.gov.uk/tell-dvla-about-bereavement',
  },
  banks: {
    title: 'UK Finance: Death Notification Service',
    url: 'https://www.ukfinance.org.uk/press/press-releases/financial-services-industry-launches-death-notification-service',
  },
  probate: { title: 'GOV.UK: Applying for probate, fees', url: 'https://www.gov.uk/applying-for-probate/fees' },
  smallEstate: {
    title: 'Scottish Courts and Tribunals: Dealing with a deceased’s estate',
    url: 'https://www.scotcourts.gov.uk/taking-action/dealing-with-a-deceased%27s-estate-in-scotland',
  },
  inheritanceTax: { title: 'GOV.UK: Inheritance Tax', url: 'https://www.gov.uk/inheritance-tax' },
  pensions: {
    title: 'GOV.UK: Inheritance Tax, unused pension funds and death benefits',
    url: 'https://www.gov.uk/government/publications/inheritance-tax-unused-pension-funds-and-death-benefits',
  },
  withoutWill: {
    title: 'GOV.UK: Who inherits if someone dies without a will',
    url: 'https://www.gov.uk/inherits-someone-dies-without-will',
  },
  will: { title: 'GOV.UK: Making a will', url: 'https://www.gov.uk/make-will' },
  willNi: {
    title: 'The Wills and Administration Proceedings (Northern Ireland) Order 1994',
    url: 'https://www.legislation.gov.uk/nisi/1994/1899',
  },
  willScotland: {
    title: 'Citizens Advice Scotland: Wills',
    url: 'https://www.citizensadvice.org.uk/scotland/family/death-and-wills/wills-s/',
  },
  powerOfAttorney: {
    title: 'GOV.UK: Register a lasting power of attorney',
    url: 'https://www.gov.uk/power-of-attorney/register',
  },
  funeralPlans: {
    title: 'Financial Conduct Authority: Funeral plans',
    url: 'https://www.fca.org.uk/consumers/funeral-plans',
  },
  funeralPayment: { title: 'GOV.UK: Funeral Expenses Payment', url: 'https://www.gov.uk/funeral-payments' },
  funeralPaymentScotland: {
    title: 'mygov.scot: Funeral Support Payment',
    url: 'https://www.mygov.scot/funeral-support-payment',
  },
  bereavementPayment: {
    title: 'GOV.UK: Bereavement Support Payment',
    url: 'https://www.gov.uk/bereavement-support-payment/what-youll-get',
  },
  digitalAssets: {
    title: 'Property (Digital Assets etc) Act 2025',
    url: 'https://www.legislation.gov.uk/ukpga/2025/29',
  },
  google: {
    title: 'Google Account Help: Inactive Account Manager',
    url: 'https://support.google.com/accounts/answer/3036546',
  },
  emergency: {
    title: 'NHS: When to call 999',
    url: 'https://www.nhs.uk/nhs-services/urgent-and-emergency-care-services/',
  },
  urgentCare: { title: 'NHS: 111', url: 'https://111.nhs.uk' },
  samaritans: {
    title: 'Samaritans: Contact a Samaritan',
    url: 'https://www.samaritans.org/how-we-can-help/contact-samaritan/',
  },
} as const satisfies Record<string, FactSource>;

type Comparison = UkFact['comparedWith'];
const factIn =
  (nation: UkFact['nation']) =>
  (value: string, source: FactSource, comparedWith: Comparison = 'body'): UkFact => ({
    value,
    nation,
    source,
    checkedOn,
    comparedWith,
  });
const uk = factIn('uk');
const ew = factIn('england-and-wales');
const scotland = factIn('scotland');
const ni = factIn('northern-ireland');
const greatBritain = factIn('great-britain');
const outsideScotland = factIn('outside-scotland');
const lineIn = (nation: UkFact['nation'], { name, phone, url, checkedOn: on }: SupportLine): UkFact => ({
  value: phone,
  nation,
  source: { title: name, url },
  checkedOn: on,
  comparedWith: 'body',
});

export const ukFacts = {
  registerDays: ew('5 days', sources.registerDeath, 'others'),
  registerDaysScotland: scotland('8 days', sources.registerDeathScotland, 'others'),
  registerDaysNi: ni('5 days', sources.registerDeathNi),
  certificatePrice: ew('about £12.50', sources.certificate, 'others'),
  tellUsOnceDays: greatBritain('28 days', sources.tellUsOnce),
  tellUsOnceNotNi: ni('does not work in Northern Ireland', sources.tellUsOnce),
  dvla: uk('The DVLA', sources.dvla, 'others'),
  bankAnswerDays: uk('about 10 days', sources.banks),
  probateFreeUpTo: ew('£5,000', sources.probate, 'others'),
  smallEstateScotland: scotland('£36,000', sources.smallEstate),
  taxFreeBand: uk('£325,000', sources.inheritanceTax, 'others'),
  taxHomeBand: uk('£175,000', sources.inheritanceTax, 'others'),
  taxRate: uk('40%', sources.inheritanceTax, 'others'),
  pensionsTaxedFrom: uk('6 April 2027', sources.pensions),
  spouseFirstShare: ew('£322,000', sources.withoutWill, 'others'),
  willAge: ew('18', sources.will, 'nothing'),
  willAgeNi: ni('18', sources.willNi, 'others'),
  willAgeScotland: scotland('12', sources.willScotland),
  witnessAgeScotland: scotland('16', sources.willScotland, 'nothing'),
  lpaFee: ew('£92', sources.powerOfAttorney, 'others'),
  lpaWeeks: ew('8 to 16 weeks', sources.powerOfAttorney, 'others'),
  funeralPlansSince: uk('29 July 2022', sources.funeralPlans, 'others'),
  funeralPaymentMonths: outsideScotland('6 months', sources.funeralPayment, 'others'),
  funeralPaymentMonthsScotland: scotland('6 months', sources.funeralPaymentScotland, 'others'),
  bereavementFirstHigher: uk('£3,500', sources.bereavementPayment),
  bereavementMonthlyHigher: uk('£350', sources.bereavementPayment),
  bereavementFirst: uk('£2,500', sources.bereavementPayment),
  bereavementMonthly: uk('£100', sources.bereavementPayment),
  bereavementMonths: uk('18 months', sources.bereavementPayment),
  bereavementFullWithin: uk('3 months', sources.bereavementPayment),
  bereavementLatest: uk('21 months', sources.bereavementPayment),
  digitalAssetsSince: ew('2 December 2025', sources.digitalAssets, 'others'),
  googleMonths: uk('3 to 18 months', sources.google, 'others'),
  googlePeople: uk('10', sources.google, 'others'),
  emergency: uk('999', sources.emergency, 'others'),
  urgentCare: greatBritain('111', sources.urgentCare, 'others'),
  samaritans: uk('116 123', sources.samaritans),
  cruse: lineIn('outside-scotland', supportLines.cruse),
  cruseScotland: lineIn('scotland', supportLines.cruseScotland),
} as const satisfies Record<string, UkFact>;

const holdsIn: Record<UkFact['nation'], readonly Nation[]> = {
  uk: nations,
  'england-and-wales': ['england', 'wales'],
  'great-britain': ['england', 'wales', 'scotland'],
  'outside-scotland': ['england', 'wales', 'northern-ireland'],
  england: ['england'],
  wales: ['wales'],
  scotland: ['scotland'],
  'northern-ireland': ['northern-ireland'],
};

const leastSureFirst: readonly Comparison[] = ['nothing', 'others', 'body'];

/** A source, and how surely the least sure of its facts was compared with it. */
export type ComparedSource = FactSource & Pick<UkFact, 'checkedOn' | 'comparedWith'>;

/** Sources of the facts for a nation, each once. */
export function sourcesOf(facts: readonly UkFact[], nation: Nation): ComparedSource[] {
  return comparedSources(facts.filter((fact) => holdsIn[fact.nation].includes(nation)));
}

/** Sources of facts, each once. */
export function comparedSources(facts: readonly UkFact[]): ComparedSource[] {
  const surenessOf = ({ comparedWith }: UkFact) => leastSureFirst.indexOf(comparedWith);
  const surestFirst = facts.toSorted((one, other) => surenessOf(other) - surenessOf(one));
  // If several facts share a source the last one stays, which is the least certain.
  const compared = surestFirst.map(({ source, checkedOn: on, comparedWith }) => ({
    ...source,
    checkedOn: on,
    comparedWith,
  }));
  return [...new Map(compared.map((source) => [source.url, source])).values()];
}
