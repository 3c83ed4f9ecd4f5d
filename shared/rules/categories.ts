/** `family` comes from the setup wizard; it is drawn like personal and found under the filter Personal. */
export const messageCategories = ['personal', 'legal', 'instructions', 'financial', 'family'] as const;
export type MessageCategory = (typeof messageCategories)[number];

export const documentCategories = [
  'personal',
  'legal',
  'financial',
  'medical',
  'property',
  'business',
  'other',
] as const;
export type DocumentCategory = (typeof documentCategories)[number];

export const messageStatuses = ['draft', 'ready', 'delivered'] as const;
export type MessageStatus = (typeof messageStatuses)[number];
