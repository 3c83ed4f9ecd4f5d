import { z } from 'zod';
import { email, id, idParams, instant, isDamaged, requiredName, visibleText } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { complaintWordsLengthMax } from '#shared/rules/retention.ts';

const complaintWordsLengthMin = 10;
const sayWhat = `Please tell us what is wrong (at least ${complaintWordsLengthMin} characters)`;

export const complaintBody = z.object({
  name: requiredName('Please enter your name'),
  email,
  words: visibleText(complaintWordsLengthMax, sayWhat).min(complaintWordsLengthMin, sayWhat),
});

/** Section 164A of the Data Protection Act 2018: complaints need no account. */
export const sendComplaint = defineRoute({
  method: 'POST',
  path: '/api/complaints',
  access: 'public',
  summary: 'Complain about how personal data is used',
  body: complaintBody,
  status: 202,
  answer: z.object({
    message: z.string(),
    /** As the receipt names it, such as `EK-1A2B3C4D`. */
    reference: z.string(),
  }),
  ratePerMinute: 10,
});

export const complaintSchema = z
  .object({
    id,
    reference: z.string(),
    name: z.string(),
    email: z.string(),
    words: z.string(),
    isDamaged,
    receivedAt: instant,
    /** Time when the mail with the receipt was accepted; null until then. */
    acknowledgedAt: instant.nullable(),
    /**
     * Time when the receipt mail failed permanently; null if it did not. The operator then has to inform them in
     * another way.
     */
    receiptFailedAt: instant.nullable(),
    /** The last day on which they may learn that it was received. */
    acknowledgeBy: instant,
    closedAt: instant.nullable(),
  })
  .meta({ id: 'Complaint' });

export type Complaint = z.input<typeof complaintSchema>;

export const complaintsPerPage = 50;

/** A page of complaints. `after` is the last complaint of the page before. */
export const listComplaints = defineRoute({
  method: 'GET',
  path: '/api/admin/complaints',
  access: 'administrator',
  summary: 'Complaints about how personal data is used, fifty at a time: open ones first, then answered ones',
  query: z.object({ after: id.optional() }),
  answer: z.array(complaintSchema),
});

export const closeComplaint = defineRoute({
  method: 'POST',
  path: '/api/admin/complaints/:id/close',
  access: 'administrator',
  summary: 'Say that a complaint was answered; a second time changes nothing',
  params: idParams,
  answer: complaintSchema,
});
