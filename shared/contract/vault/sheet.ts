import { defineRoute } from '#shared/contract/route.ts';

export const getSheet = defineRoute({
  method: 'GET',
  path: '/api/sheet.pdf',
  access: 'session',
  summary: 'A sheet to keep with the will, as a PDF: numbers and names of contacts, no titles and no secrets',
  answersStream: true,
  ratePerMinute: 10,
});
