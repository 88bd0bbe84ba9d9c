"""Robots of a test, which are gone when it is over."""

import pytest

from virtual_boards import robots


@pytest.fixture
def start(tmp_path):
    """`start(name, ...)` -> a `robots.Robot`."""
    started = []

    def one(name, *args, **more):
        started.append(robots.Robot(robots.home_of(tmp_path), name, *args, **more))
        return started[-1]

    yield one
    for robot in started:
        robot.close()
