CREATE TABLE "checkouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" uuid,
	"email" text NOT NULL,
	"provider" text NOT NULL,
	"subscription_id" uuid,
	"plan" text NOT NULL,
	"term" text NOT NULL,
	"list_price_pence" integer NOT NULL,
	"amount_pence" integer NOT NULL,
	"voucher_code_id" uuid,
	"token_hash" text,
	"provider_reference" text,
	"provider_price_id" text,
	"status" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"paid_at" timestamp (3) with time zone,
	CONSTRAINT "checkouts_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "checkouts_purpose_check" CHECK ("checkouts"."purpose" in ('subscribe', 'change', 'card')),
	CONSTRAINT "checkouts_provider_check" CHECK ("checkouts"."provider" in ('stripe', 'paypal', 'sandbox', 'voucher')),
	CONSTRAINT "checkouts_plan_check" CHECK ("checkouts"."plan" in ('essential', 'premium', 'lifetime')),
	CONSTRAINT "checkouts_term_check" CHECK ("checkouts"."term" in ('monthly', 'annual', 'once')),
	CONSTRAINT "checkouts_status_check" CHECK ("checkouts"."status" in ('open', 'paid', 'expired')),
	CONSTRAINT "checkouts_amount_check" CHECK ("checkouts"."amount_pence" between 0 and "checkouts"."list_price_pence")
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"provider_event_id" text NOT NULL,
	"type" text NOT NULL,
	"body" "bytea",
	"facts" jsonb,
	"subjects" text[] DEFAULT '{}'::text[] NOT NULL,
	"subscription_id" uuid,
	"status" text DEFAULT 'stored' NOT NULL,
	"reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payment_events_provider_event_id_unique" UNIQUE("provider","provider_event_id"),
	CONSTRAINT "payment_events_provider_check" CHECK ("payment_events"."provider" in ('stripe', 'paypal', 'sandbox')),
	CONSTRAINT "payment_events_status_check" CHECK ("payment_events"."status" in ('stored', 'applied', 'waiting', 'ignored', 'refused'))
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"number" serial NOT NULL,
	"user_id" uuid,
	"payer_id" uuid NOT NULL,
	"subscription_id" uuid,
	"provider" text NOT NULL,
	"provider_payment_id" text NOT NULL,
	"plan" text NOT NULL,
	"term" text NOT NULL,
	"amount_pence" integer NOT NULL,
	"refunded_pence" integer DEFAULT 0 NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"card_brand" text,
	"card_last4" text,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payments_number_unique" UNIQUE("number"),
	CONSTRAINT "payments_provider_payment_id_unique" UNIQUE("provider","provider_payment_id"),
	CONSTRAINT "payments_provider_check" CHECK ("payments"."provider" in ('stripe', 'paypal', 'sandbox')),
	CONSTRAINT "payments_status_check" CHECK ("payments"."status" in ('paid', 'partly_refunded', 'refunded', 'disputed', 'lost')),
	CONSTRAINT "payments_refunded_check" CHECK ("payments"."refunded_pence" between 0 and "payments"."amount_pence")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"email" text NOT NULL,
	"provider" text NOT NULL,
	"provider_customer_id" text,
	"provider_subscription_id" text,
	"plan" text NOT NULL,
	"term" text NOT NULL,
	"price_pence" integer NOT NULL,
	"status" text NOT NULL,
	"current_period_end" timestamp (3) with time zone,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"past_due_since" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"card_brand" text,
	"card_last4" text,
	"next_step_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "subscriptions_provider_subscription_id_unique" UNIQUE("provider","provider_subscription_id"),
	CONSTRAINT "subscriptions_provider_check" CHECK ("subscriptions"."provider" in ('stripe', 'paypal', 'sandbox', 'voucher')),
	CONSTRAINT "subscriptions_plan_check" CHECK ("subscriptions"."plan" in ('essential', 'premium', 'lifetime')),
	CONSTRAINT "subscriptions_term_check" CHECK ("subscriptions"."term" in ('monthly', 'annual', 'once')),
	CONSTRAINT "subscriptions_status_check" CHECK ("subscriptions"."status" in ('active', 'past_due', 'cancelled', 'lapsed')),
	CONSTRAINT "subscriptions_price_check" CHECK ("subscriptions"."price_pence" >= 0)
);
--> statement-breakpoint
ALTER TABLE "voucher_usage" DROP CONSTRAINT "voucher_usage_voucher_code_id_user_id_unique";--> statement-breakpoint
ALTER TABLE "voucher_usage" DROP CONSTRAINT "voucher_usage_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "voucher_usage" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "voucher_usage" ALTER COLUMN "used_at" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "voucher_usage" ALTER COLUMN "used_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD COLUMN "person_hash" text NOT NULL;--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD COLUMN "checkout_id" uuid NOT NULL;--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD COLUMN "held_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_voucher_code_id_voucher_codes_id_fk" FOREIGN KEY ("voucher_code_id") REFERENCES "public"."voucher_codes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "checkouts_user_id_created_at_index" ON "checkouts" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "checkouts_email_index" ON "checkouts" USING btree ("email");--> statement-breakpoint
CREATE INDEX "checkouts_subscription_id_index" ON "checkouts" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "checkouts_expires_at_index" ON "checkouts" USING btree ("expires_at") WHERE "checkouts"."status" = 'open';--> statement-breakpoint
CREATE INDEX "payment_events_subscription_id_index" ON "payment_events" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "payment_events_subjects_index" ON "payment_events" USING gin ("subjects");--> statement-breakpoint
CREATE INDEX "payment_events_due_index" ON "payment_events" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "payment_events_received_at_index" ON "payment_events" USING btree ("received_at") WHERE "payment_events"."body" is not null;--> statement-breakpoint
CREATE INDEX "payments_user_id_paid_at_index" ON "payments" USING btree ("user_id","paid_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "payments_subscription_id_index" ON "payments" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "payments_paid_at_index" ON "payments" USING btree ("paid_at");--> statement-breakpoint
CREATE INDEX "payments_payer_id_index" ON "payments" USING btree ("payer_id");--> statement-breakpoint
CREATE INDEX "subscriptions_user_id_index" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "subscriptions_email_index" ON "subscriptions" USING btree ("email") WHERE "subscriptions"."user_id" is null;--> statement-breakpoint
CREATE INDEX "subscriptions_next_step_at_index" ON "subscriptions" USING btree ("next_step_at");--> statement-breakpoint
CREATE INDEX "subscriptions_created_at_index" ON "subscriptions" USING btree ("created_at");--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD CONSTRAINT "voucher_usage_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "voucher_usage_user_id_index" ON "voucher_usage" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "voucher_usage_checkout_id_index" ON "voucher_usage" USING btree ("checkout_id");--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD CONSTRAINT "voucher_usage_voucher_code_id_person_hash_unique" UNIQUE("voucher_code_id","person_hash");--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD CONSTRAINT "voucher_usage_state_check" CHECK (("voucher_usage"."held_until" is null) <> ("voucher_usage"."used_at" is null));