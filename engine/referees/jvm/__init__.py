"""Referees in Java start sooner: with an archive of classes, or in a JVM that plays many matches.

starting    how a match's referee is started here, or taken from a JVM that waits
class_data  archives of classes, with which a JVM starts sooner
Launcher    that program
"""
