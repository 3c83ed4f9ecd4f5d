CREATE TABLE "bulk_email_recipients" (
	"bulk_email_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"taken_at" timestamp (3) with time zone,
	"link_hash" text,
	CONSTRAINT "bulk_email_recipients_bulk_email_id_user_id_pk" PRIMARY KEY("bulk_email_id","user_id"),
	CONSTRAINT "bulk_email_recipients_link_hash_unique" UNIQUE("link_hash"),
	CONSTRAINT "bulk_email_recipients_state_check" CHECK ("bulk_email_recipients"."state" in ('waiting', 'queued', 'sent', 'failed', 'left_out', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "bulk_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_by" uuid,
	"payload" "bytea" NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "bulk_emails_state_check" CHECK ("bulk_emails"."state" in ('sending', 'done', 'cancelled'))
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "news_stopped_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "bulk_email_recipients" ADD CONSTRAINT "bulk_email_recipients_bulk_email_id_bulk_emails_id_fk" FOREIGN KEY ("bulk_email_id") REFERENCES "public"."bulk_emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_email_recipients" ADD CONSTRAINT "bulk_email_recipients_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_emails" ADD CONSTRAINT "bulk_emails_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bulk_email_recipients_state_index" ON "bulk_email_recipients" USING btree ("bulk_email_id","state");--> statement-breakpoint
CREATE INDEX "bulk_email_recipients_taken_at_index" ON "bulk_email_recipients" USING btree ("taken_at");--> statement-breakpoint
CREATE INDEX "bulk_email_recipients_user_id_index" ON "bulk_email_recipients" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "bulk_emails_created_at_index" ON "bulk_emails" USING btree ("created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "bulk_emails_created_by_index" ON "bulk_emails" USING btree ("created_by");