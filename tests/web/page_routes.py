"""The routes of all pages, for tests that look at every one of them."""

import re


def page_routes() -> list[str]:
    from ladder.web.pages import routers  # the application takes a second, which only tests that serve it spend

    found = {re.sub(r"\{[^}]*\}", "{}", getattr(route, "path", "")) for router in routers() for route in router.routes}
    return sorted(path for path in found if not path.startswith("/static/") and not path.endswith(("/data", ".svg")))
