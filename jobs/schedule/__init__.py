"""When a job is due: schedules as a person writes them, slots of the calendar, what the ledger leaves."""
