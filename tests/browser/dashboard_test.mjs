// The dashboard as users see it: chromium against the real daemon.
import './every_page.mjs';
import './training_pages.mjs';
import './run_table_pages.mjs';
import './board_pages.mjs';
import './job_pages.mjs';
import './job_kinds.mjs';
import './game_pages.mjs';
import './review_pages.mjs';
import './library_pages.mjs';
import './hand_pages.mjs';
import './reproduction_pages.mjs';
import './look_pages.mjs';
import './caller_pages.mjs';
import './chain_pages.mjs';
import './webhook_pages.mjs';
import './retention_pages.mjs';
import './node_pages.mjs';
import './service_pages.mjs'; // last, as it restarts the daemon
