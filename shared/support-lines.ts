/**
 * Bereavement lines, free of charge. Each has the day on which its number was last compared with the body's own site.
 * Letters, mails and guides use them. The guides' facts repeat them, and their test fails after a year.
 */
export const supportLines = {
  /** England, Wales and Northern Ireland. */
  cruse: {
    name: 'Cruse Bereavement Support',
    phone: '0808 808 1677',
    url: 'https://www.cruse.org.uk',
    checkedOn: '2026-11-22',
  },
  /** A charity of its own, with a line of its own: the number above does not answer in Scotland. */
  cruseScotland: {
    name: 'Cruse Scotland',
    phone: '0808 802 6161',
    url: 'https://www.crusescotland.org.uk',
    checkedOn: '2026-11-22',
  },
} as const;

export type SupportLine = (typeof supportLines)[keyof typeof supportLines];
