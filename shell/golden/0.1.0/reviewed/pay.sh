#!/bin/sh
read -r call
id=${call#*\"id\":\"}
echo "{\"id\":\"${id%%\"*}\",\"result\":\"paid\"}"
