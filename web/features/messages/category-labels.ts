import type { MessageCategory } from '#shared/rules/categories.ts';

export const categoryLabels: Record<MessageCategory, string> = {
  personal: 'Personal',
  legal: 'Legal',
  instructions: 'Instructions',
  financial: 'Financial',
  family: 'Family',
};
