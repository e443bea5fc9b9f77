"""The application: its routes, and what goes around all of them.

Imports inside functions: what counts requests takes 10 MB, which only a served ladder needs.
"""

from __future__ import annotations

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from ladder.web.api import routers as api_routers
from ladder.web.api.events import always, room_for_all
from ladder.web.conditional import Conditional
from ladder.web.live.watcher import Live
from ladder.web.pages import routers as page_routers
from ladder.web.problems import Faults, answer_problems
from ladder.web.safety import Safety
from ladder.web.shown import STATIC
from ladder.web.site import Site


def application(site: Site) -> FastAPI:
    """Return the application that shows a site."""
    app = FastAPI(title="Ladder", version="1", openapi_url=None, docs_url=None, redoc_url=None)
    app.state.site = site
    app.state.live = Live(site)
    app.state.room_for_stream = room_for_all
    app.state.may_follow = always
    answer_problems(app)
    for router in api_routers():
        app.include_router(router)
    for router in page_routers():
        app.include_router(router, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_middleware(Conditional)
    if site.web.is_served:
        from ladder.web.accounts.routes import add_accounts

        add_accounts(app, site)
    app.add_middleware(Faults)
    app.add_middleware(Safety, key=site.key, web=site.web)
    return app
