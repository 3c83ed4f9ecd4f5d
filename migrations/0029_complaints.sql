CREATE TABLE "complaints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"payload" "bytea" NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"acknowledged_at" timestamp (3) with time zone,
	"receipt_failed_at" timestamp (3) with time zone,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "complaints" ADD CONSTRAINT "complaints_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "complaints_user_id_index" ON "complaints" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "complaints_received_at_index" ON "complaints" USING btree ("received_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "complaints_closed_at_index" ON "complaints" USING btree ("closed_at");